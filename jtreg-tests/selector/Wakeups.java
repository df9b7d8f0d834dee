// SPDX-License-Identifier: Apache-2.0

/*
 * @test id=epoll
 * @summary no wakeup is lost, none is counted twice, none hides a ready channel
 * @library /lib
 * @run main/othervm -Djava.nio.channels.spi.SelectorProvider=dev.pollux.EPollSelectorProvider Wakeups
 */

/*
 * @test id=poll
 * @summary no wakeup is lost, none is counted twice, none hides a ready channel
 * @library /lib
 * @run main/othervm -Djava.nio.channels.spi.SelectorProvider=dev.pollux.PollSelectorProvider Wakeups
 */

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.concurrent.atomic.AtomicInteger;

public class Wakeups {

    private static final int PASSES = 20_000;
    private static final int WAKERS = 4;

    /** Whose turn it is, or how many items are waiting. */
    private final AtomicInteger state = new AtomicInteger();

    public static void main(String[] args) throws Exception {
        oneWakeupEndsOneSelection();
        wakeupHidesNothing();
        new Wakeups().pingPong();
        new Wakeups().manyWakers();
    }

    private static void oneWakeupEndsOneSelection() throws IOException {
        try (Selector selector = Check.open()) {
            selector.wakeup().wakeup();
            Check.same(0, selector.select(), "keys of a woken selection");
            long start = System.nanoTime();
            Check.same(0, selector.select(100), "keys of the next");
            long millis = (System.nanoTime() - start) / 1_000_000;
            Check.that(millis >= 100, "two wakeups ended two selections: the second lasted " + millis + " ms");
            selector.wakeup().selectNow();
            start = System.nanoTime();
            selector.select(100);
            Check.that(System.nanoTime() - start >= 100_000_000, "selectNow left the wakeup behind");
        }
    }

    private static void wakeupHidesNothing() throws IOException {
        Pipe pipe = Pipe.open();
        try (Selector selector = Check.open();
                Pipe.SourceChannel source = pipe.source(); Pipe.SinkChannel sink = pipe.sink()) {
            SelectionKey key = source.configureBlocking(false).register(selector, SelectionKey.OP_READ);
            sink.write(ByteBuffer.allocate(1));
            Check.same(1, selector.wakeup().select(), "keys of a woken selection with a ready channel");
            Check.that(key.isReadable(), "not readable");
        }
    }

    /** Two threads that wake each other: a single lost wakeup stops both. */
    private void pingPong() throws Exception {
        try (Selector even = Check.open(); Selector odd = Check.open(); Threads threads = new Threads()) {
            threads.start("even", () -> play(even, odd, 0));
            threads.start("odd", () -> play(odd, even, 1));
        }
    }

    private void play(Selector mine, Selector other, int parity) throws IOException {
        while (state.get() < PASSES) {
            while (state.get() < PASSES && state.get() % 2 != parity) {
                mine.select();
            }
            state.incrementAndGet();
            other.wakeup();
        }
    }

    /** Items put by many threads: the selecting thread must find each of them after the wakeup that announces it. */
    private void manyWakers() throws Exception {
        AtomicInteger taken = new AtomicInteger();
        try (Selector selector = Check.open(); Threads threads = new Threads()) {
            threads.start("taker", () -> {
                while (taken.addAndGet(state.getAndSet(0)) < WAKERS * PASSES) {
                    selector.select();
                }
            });
            for (int i = 0; i < WAKERS; i++) {
                threads.start("waker " + i, () -> {
                    for (int n = 0; n < PASSES; n++) {
                        state.incrementAndGet();
                        selector.wakeup();
                    }
                });
            }
        }
        Check.same(WAKERS * PASSES, taken.get(), "items taken");
    }
}
