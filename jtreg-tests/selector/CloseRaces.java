// SPDX-License-Identifier: Apache-2.0

/*
 * @test id=epoll
 * @summary selector or channel closed while another thread selects, wakes or registers
 * @library /lib
 * @run main/othervm -Djava.nio.channels.spi.SelectorProvider=dev.pollux.EPollSelectorProvider CloseRaces
 */

/*
 * @test id=poll
 * @summary selector or channel closed while another thread selects, wakes or registers
 * @library /lib
 * @run main/othervm -Djava.nio.channels.spi.SelectorProvider=dev.pollux.PollSelectorProvider CloseRaces
 */

import java.io.IOException;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

public class CloseRaces {

    private static final int ROUNDS = 1_500;

    public static void main(String[] args) throws Exception {
        Check.open().close();
        DatagramChannel.open().close();
        int before = Check.descriptors().size();
        race("selector closed", (selector, channel) -> selector.close());
        race("channel closed", (selector, channel) -> {
            channel.close();
            selector.wakeup();
        });
        race("both closed", (selector, channel) -> {
            channel.close();
            selector.close();
        });
        Check.descriptorsFallTo(before);
    }

    /**
     * One thread selects, one wakes and changes interest, one registers again, and this one ends it all, a little
     * later in each round.
     */
    private static void race(String name, Ending ending) throws Exception {
        Selector[] selector = new Selector[1];
        DatagramChannel[] channel = new DatagramChannel[1];
        CyclicBarrier turn = new CyclicBarrier(4, () -> prepare(selector, channel));
        try (Threads threads = new Threads()) {
            threads.start(name + ", selecting", () -> rounds(turn, () -> select(selector[0], channel[0])));
            threads.start(name + ", waking", () -> rounds(turn, () -> wake(selector[0], channel[0])));
            threads.start(name + ", registering", () -> rounds(turn, () -> register(selector[0], channel[0])));
            for (int i = 0; i < ROUNDS && !threads.failed(); i++) {
                turn.await(60, TimeUnit.SECONDS);
                LockSupport.parkNanos(i % 100 * 1_000);
                ending.run(selector[0], channel[0]);
            }
            turn.await(60, TimeUnit.SECONDS);
        }
        finish(selector[0], channel[0]);
    }

    private static void rounds(CyclicBarrier turn, Check.Body body) throws Throwable {
        for (int i = 0; i < ROUNDS; i++) {
            turn.await(60, TimeUnit.SECONDS);
            body.run();
        }
        turn.await(60, TimeUnit.SECONDS);
    }

    private static void prepare(Selector[] selector, DatagramChannel[] channel) {
        try {
            if (selector[0] != null) {
                finish(selector[0], channel[0]);
            }
            selector[0] = Check.open();
            channel[0] = DatagramChannel.open();
            channel[0].configureBlocking(false).register(selector[0], SelectionKey.OP_READ);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** All threads have ended their round: whatever they did to each other, a closed channel must have no key. */
    private static void finish(Selector selector, DatagramChannel channel) throws IOException {
        if (selector.isOpen() && !channel.isOpen()) {
            selector.selectNow();
            Check.that(selector.keys().isEmpty(), "the key of a closed channel is left");
            Check.that(!channel.isRegistered(), "a closed channel is registered");
        }
        selector.close();
        channel.close();
        Check.same(null, channel.keyFor(selector), "key for a closed selector");
    }

    /** Selects until the selector or its only channel is closed; blocks, if nobody ends it, for ever. */
    private static void select(Selector selector, DatagramChannel channel) throws IOException {
        try {
            while (channel.isOpen()) {
                selector.select();
            }
        } catch (ClosedSelectorException e) {
            Check.that(!selector.isOpen(), "the selector is open");
        }
    }

    private static void wake(Selector selector, DatagramChannel channel) {
        SelectionKey key = channel.keyFor(selector);
        for (int i = 0; i < 20 && key != null; i++) {
            selector.wakeup();
            try {
                key.interestOps(i % 2 == 0 ? SelectionKey.OP_READ : 0);
            } catch (CancelledKeyException | ClosedSelectorException e) {
                Check.that(!selector.isOpen() || !channel.isOpen(), "refused, and nothing is closed: " + e);
            }
        }
    }

    private static void register(Selector selector, DatagramChannel channel) {
        try {
            channel.register(selector, SelectionKey.OP_READ);
        } catch (ClosedChannelException | ClosedSelectorException | CancelledKeyException e) {
            Check.that(!selector.isOpen() || !channel.isOpen(), "refused, and nothing is closed: " + e);
        }
    }

    /** How a round ends. */
    private interface Ending {
        void run(Selector selector, DatagramChannel channel) throws IOException;
    }
}
