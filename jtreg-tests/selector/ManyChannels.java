// SPDX-License-Identifier: Apache-2.0

/*
 * @test id=epoll
 * @summary thousands of channels ready at once are all selected, each once
 * @library /lib
 * @run main/othervm -Djava.nio.channels.spi.SelectorProvider=dev.pollux.EPollSelectorProvider ManyChannels
 */

/*
 * @test id=poll
 * @summary thousands of channels ready at once are all selected, each once
 * @library /lib
 * @run main/othervm -Djava.nio.channels.spi.SelectorProvider=dev.pollux.PollSelectorProvider ManyChannels
 */

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

public class ManyChannels {

    private static final int CHANNELS = 4_000;

    public static void main(String[] args) throws Exception {
        Check.open().close();
        DatagramChannel.open().close();
        int before = Check.descriptors().size();
        List<DatagramChannel> channels = new ArrayList<>();
        try (Selector selector = Check.open()) {
            for (int i = 0; i < CHANNELS; i++) {
                channels.add(open(selector));
            }
            Check.same(0, selector.selectNow(), "keys before anything was sent");
            for (DatagramChannel channel : channels) {
                channel.send(ByteBuffer.allocate(1), channel.getLocalAddress());
            }
            allSelected(selector);
            onceEach(selector);
            halfOfThem(selector, channels);
            for (DatagramChannel channel : channels) {
                channel.close();
            }
            selector.selectNow();
            Check.that(selector.keys().isEmpty(), selector.keys().size() + " keys are left");
        }
        Check.descriptorsFallTo(before);
    }

    private static DatagramChannel open(Selector selector) throws IOException {
        DatagramChannel channel = DatagramChannel.open();
        channel.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        channel.configureBlocking(false).register(selector, SelectionKey.OP_READ);
        return channel;
    }

    /** An event buffer that is too small at first may take some selections; each has to bring something new. */
    private static void allSelected(Selector selector) throws IOException {
        int selected = 0;
        while (selected < CHANNELS) {
            int n = selector.selectNow();
            Check.that(n > 0, "only " + selected + " channels were selected");
            selected += n;
        }
        Check.same(CHANNELS, selected, "sum of what the selections returned");
        Check.same(CHANNELS, selector.selectedKeys().size(), "selected keys");
        Check.same(0, selector.selectNow(), "new keys while all are selected");
        selector.selectedKeys().clear();
    }

    private static void onceEach(Selector selector) throws IOException {
        Set<SelectionKey> seen = new HashSet<>();
        int called = selector.selectNow(key -> Check.that(seen.add(key), "called twice for " + key));
        Check.same(called, seen.size(), "keys");
        Check.same(CHANNELS, called, "keys of one selection, after the event buffer has grown");
    }

    private static void halfOfThem(Selector selector, List<DatagramChannel> channels) throws IOException {
        for (int i = 0; i < CHANNELS; i += 2) {
            channels.get(i).keyFor(selector).interestOps(0);
        }
        Set<SelectionKey> seen = new HashSet<>();
        selector.select(seen::add);
        Check.same(CHANNELS / 2, seen.size(), "keys with interest");
        Check.that(seen.stream().noneMatch(key -> key.interestOps() == 0), "a key without interest was selected");
    }
}
