// SPDX-License-Identifier: Apache-2.0

/*
 * @test id=epoll
 * @summary an interrupt before or during a selection ends it, and closes nothing
 * @library /lib
 * @run main/othervm -Djava.nio.channels.spi.SelectorProvider=dev.pollux.EPollSelectorProvider Interrupts
 */

/*
 * @test id=poll
 * @summary an interrupt before or during a selection ends it, and closes nothing
 * @library /lib
 * @run main/othervm -Djava.nio.channels.spi.SelectorProvider=dev.pollux.PollSelectorProvider Interrupts
 */

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.concurrent.Phaser;
import java.util.concurrent.locks.LockSupport;

public class Interrupts {

    private static final int ROUNDS = 2_000;

    public static void main(String[] args) throws Exception {
        Pipe pipe = Pipe.open();
        try (Selector selector = Check.open();
                Pipe.SourceChannel source = pipe.source(); Pipe.SinkChannel sink = pipe.sink()) {
            SelectionKey key = source.configureBlocking(false).register(selector, SelectionKey.OP_READ);
            before(selector);
            during(selector);
            Check.that(selector.isOpen() && source.isOpen() && key.isValid(), "an interrupt closed something");
            sink.write(ByteBuffer.allocate(1));
            Check.same(1, selector.select(), "keys after all interrupts");
            withSomethingReady(selector);
        }
    }

    private static void before(Selector selector) throws IOException {
        Thread.currentThread().interrupt();
        Check.same(0, selector.select(), "keys");
        Check.that(Thread.currentThread().isInterrupted(), "the selection cleared the status");
        selector.select(key -> { });
        selector.select(key -> { }, 60_000);
        Check.that(Thread.interrupted(), "a selection cleared the status");
        long start = System.nanoTime();
        selector.select(50);
        Check.that(System.nanoTime() - start >= 50_000_000, "a past interrupt ended a selection");
    }

    /** The delay grows from nothing, so that the interrupt comes before, at and after the moment of blocking. */
    private static void during(Selector selector) throws Exception {
        Phaser round = new Phaser(2);
        try (Threads threads = new Threads()) {
            Thread selecting = threads.start("selecting", () -> {
                for (int i = 0; i < ROUNDS; i++) {
                    round.arriveAndAwaitAdvance();
                    selector.select();
                    Check.that(Thread.interrupted(), "round " + i + ": returned without an interrupt");
                    round.arriveAndAwaitAdvance();
                }
            });
            for (int i = 0; i < ROUNDS && !threads.failed(); i++) {
                round.arriveAndAwaitAdvance();
                LockSupport.parkNanos(i % 200 * 500);
                selecting.interrupt();
                round.arriveAndAwaitAdvance();
            }
        }
    }

    private static void withSomethingReady(Selector selector) throws IOException {
        selector.selectedKeys().clear();
        Thread.currentThread().interrupt();
        Check.same(1, selector.select(), "keys of an interrupted thread");
        Check.that(Thread.interrupted(), "the selection cleared the status");
    }
}
