// SPDX-License-Identifier: Apache-2.0
package dev.pollux.selector;

import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;

/** More channels than any array starts with. */
class ManyChannelsTest {

    private static final int MANY = 10_000;

    @EachProvider
    void fewOfTenThousandChannelsAreFound(Lab lab) throws Exception {
        Selector selector = lab.selector();
        List<DatagramChannel> channels = open(lab, MANY);
        register(channels, selector, OP_READ);
        assertEquals(0, selector.selectNow());
        DatagramChannel sender = lab.datagram();
        Set<SelectionKey> expected = new HashSet<>();
        for (int i = 0; i < MANY; i += 997) {
            sender.send(ByteBuffer.wrap(new byte[1]), channels.get(i).getLocalAddress());
            expected.add(channels.get(i).keyFor(selector));
        }
        while (selector.selectedKeys().size() < expected.size()) {
            assertTrue(selector.select() > 0);
        }
        assertEquals(expected, selector.selectedKeys());
    }

    @EachProvider
    void allOfTenThousandReadyChannelsAreDelivered(Lab lab) throws Exception {
        Selector selector = lab.selector();
        register(open(lab, MANY), selector, OP_WRITE);
        int selected = 0;
        for (int i = 0; i < 50 && selected < MANY; i++) {
            selected += selector.select();
        }
        assertEquals(MANY, selected);
        assertEquals(selector.keys(), selector.selectedKeys());
    }

    @EachProvider
    void allOfTenThousandReadyChannelsAreDeliveredToAnAction(Lab lab) throws Exception {
        Selector selector = lab.selector();
        register(open(lab, MANY), selector, OP_WRITE);
        Set<SelectionKey> delivered = new HashSet<>();
        for (int i = 0; i < 50 && delivered.size() < MANY; i++) {
            selector.select(key -> {
                assertTrue(delivered.add(key));
                key.interestOps(0);
            });
        }
        assertEquals(selector.keys(), delivered);
        assertEquals(0, selector.selectNow());
    }

    @EachProvider
    void channelsBeyondTheFirstBufferAreNotStarved(Lab lab) throws Exception {
        Selector selector = lab.selector();
        register(open(lab, 3000), selector, OP_WRITE);
        Set<SelectionKey> seen = new HashSet<>();
        for (int i = 0; i < 100 && seen.size() < 3000; i++) {
            selector.select();
            seen.addAll(selector.selectedKeys());
            selector.selectedKeys().clear();
        }
        assertEquals(3000, seen.size());
    }

    @EachProvider
    @Tag("beyond-jdk")
    void theEventBufferGrowsUntilOneSelectionDeliversAll(Lab lab) throws Exception {
        lab.needsRegistrations();
        Selector selector = lab.selector();
        register(open(lab, 3000), selector, OP_WRITE);
        int most = 0;
        for (int i = 0; i < 20; i++) {
            most = Math.max(most, selector.select());
            selector.selectedKeys().clear();
        }
        assertEquals(3000, most);
    }

    @EachProvider
    void halfOfThemCanBeCancelledAndRegisteredAgain(Lab lab) throws Exception {
        Selector selector = lab.selector();
        List<DatagramChannel> channels = open(lab, 4000);
        register(channels, selector, OP_READ);
        selector.selectNow();
        List<DatagramChannel> half = channels.subList(1000, 3000);
        half.forEach(channel -> channel.keyFor(selector).cancel());
        selector.selectNow();
        assertEquals(2000, selector.keys().size());
        register(half, selector, OP_WRITE);
        Set<SelectionKey> seen = new HashSet<>();
        for (int i = 0; i < 50 && seen.size() < 2000; i++) {
            selector.select(seen::add);
        }
        Set<SelectionKey> expected = new HashSet<>();
        half.forEach(channel -> expected.add(channel.keyFor(selector)));
        assertEquals(expected, seen);
    }

    private static List<DatagramChannel> open(Lab lab, int count) throws IOException {
        List<DatagramChannel> channels = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            channels.add(lab.datagram());
        }
        return channels;
    }

    private static void register(List<DatagramChannel> channels, Selector selector, int ops) throws IOException {
        for (DatagramChannel channel : channels) {
            channel.register(selector, ops);
        }
    }
}
