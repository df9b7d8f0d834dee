// SPDX-License-Identifier: Apache-2.0

/*
 * @test id=epoll
 * @summary threads register, cancel and close ready channels while another selects; nothing is left
 * @library /lib
 * @run main/othervm -Djava.nio.channels.spi.SelectorProvider=dev.pollux.EPollSelectorProvider CancelStorm
 */

/*
 * @test id=poll
 * @summary threads register, cancel and close ready channels while another selects; nothing is left
 * @library /lib
 * @run main/othervm -Djava.nio.channels.spi.SelectorProvider=dev.pollux.PollSelectorProvider CancelStorm
 */

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;

public class CancelStorm {

    private static final int THREADS = 3;
    private static final int CHANNELS = 200;
    private static final int STEPS = 8_000;

    private final AtomicLong delivered = new AtomicLong();
    private volatile boolean done;

    public static void main(String[] args) throws Exception {
        Check.open().close();
        DatagramChannel.open().close();
        int before = Check.descriptors().size();
        CancelStorm storm = new CancelStorm();
        try (Selector selector = Check.open()) {
            int ofSelector = Check.descriptors().size() - before;
            try (Threads selecting = new Threads()) {
                selecting.start("selecting", () -> storm.select(selector));
                try (Threads threads = new Threads()) {
                    for (int i = 0; i < THREADS; i++) {
                        Random random = new Random(i);
                        threads.start("storm " + i, () -> storm.blow(selector, random));
                    }
                } finally {
                    storm.done = true;
                    selector.wakeup();
                }
            }
            selector.selectNow();
            Check.that(selector.keys().isEmpty(), selector.keys().size() + " keys are left");
            Check.that(storm.delivered.get() > 0, "nothing was ever delivered");
            Check.descriptorsFallTo(before + ofSelector);
        }
        Check.descriptorsFallTo(before);
    }

    private void select(Selector selector) throws IOException {
        while (!done) {
            selector.select(key -> {
                delivered.incrementAndGet();
                try {
                    key.interestOps(0);
                } catch (CancelledKeyException e) {
                    // Cancelled by its thread in this very moment: that is the test.
                }
            }, 100);
        }
    }

    private void blow(Selector selector, Random random) throws IOException {
        List<DatagramChannel> channels = new ArrayList<>();
        for (int i = 0; i < CHANNELS; i++) {
            channels.add(ready(selector));
        }
        for (int i = 0; i < STEPS; i++) {
            int n = random.nextInt(CHANNELS);
            DatagramChannel channel = channels.get(n);
            SelectionKey key = channel.keyFor(selector);
            switch (random.nextInt(4)) {
                case 0:
                    channel.close();
                    channels.set(n, ready(selector));
                    break;
                case 1:
                    if (key != null) {
                        key.cancel();
                    }
                    break;
                default:
                    register(channel, selector);
                    selector.wakeup();
            }
        }
        for (DatagramChannel channel : channels) {
            channel.close();
        }
    }

    private static void register(DatagramChannel channel, Selector selector) throws IOException {
        try {
            channel.register(selector, SelectionKey.OP_READ);
        } catch (CancelledKeyException e) {
            // Cancelled before, and no selection has taken it away yet.
        }
    }

    /** A channel that is readable at once and stays so. */
    private static DatagramChannel ready(Selector selector) throws IOException {
        DatagramChannel channel = DatagramChannel.open();
        channel.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        channel.send(ByteBuffer.allocate(1), channel.getLocalAddress());
        channel.configureBlocking(false);
        register(channel, selector);
        return channel;
    }
}
