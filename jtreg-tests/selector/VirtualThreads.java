// SPDX-License-Identifier: Apache-2.0

/*
 * @test id=epoll
 * @summary more virtual threads select than there are carriers, and the others still run
 * @requires jdk.version.major >= 21
 * @library /lib
 * @run main/othervm -Djdk.virtualThreadScheduler.parallelism=1
 *     -Djava.nio.channels.spi.SelectorProvider=dev.pollux.EPollSelectorProvider VirtualThreads
 */

/*
 * @test id=poll
 * @summary more virtual threads select than there are carriers, and the others still run
 * @requires jdk.version.major >= 21
 * @library /lib
 * @run main/othervm -Djdk.virtualThreadScheduler.parallelism=1
 *     -Djava.nio.channels.spi.SelectorProvider=dev.pollux.PollSelectorProvider VirtualThreads
 */

import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

public class VirtualThreads {

    private static final int SELECTING = 60;

    public static void main(String[] args) throws Exception {
        blockedInSelect();
        interrupted();
        readiness();
    }

    /** All block with no time-out; the thread that wakes them is virtual too and has to find a carrier. */
    private static void blockedInSelect() throws Exception {
        List<Selector> selectors = new ArrayList<>();
        AtomicInteger woken = new AtomicInteger();
        CountDownLatch started = new CountDownLatch(SELECTING);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < SELECTING; i++) {
            Selector selector = Check.open();
            selectors.add(selector);
            threads.add(Thread.startVirtualThread(() -> {
                started.countDown();
                try {
                    selector.select();
                    woken.incrementAndGet();
                } catch (Exception e) {
                    e.printStackTrace();
                }
            }));
        }
        await(started);
        Thread waker = Thread.startVirtualThread(() -> {
            try {
                Thread.sleep(100);
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
            Check.same(0, woken.get(), "selections that ended by themselves");
            selectors.forEach(Selector::wakeup);
        });
        end(waker);
        for (Thread thread : threads) {
            end(thread);
        }
        Check.same(SELECTING, woken.get(), "selections that were woken");
        for (Selector selector : selectors) {
            selector.close();
        }
    }

    private static void interrupted() throws Exception {
        try (Selector selector = Check.open()) {
            CountDownLatch right = new CountDownLatch(1);
            Thread selecting = Thread.startVirtualThread(() -> {
                try {
                    if (selector.select() == 0 && Thread.currentThread().isInterrupted()) {
                        right.countDown();
                    }
                } catch (Exception e) {
                    e.printStackTrace();
                }
            });
            selecting.interrupt();
            end(selecting);
            await(right);
        }
    }

    /** Two virtual threads pass a byte to and fro, each waiting for it in its selector. */
    private static void readiness() throws Exception {
        Pipe there = Pipe.open();
        Pipe back = Pipe.open();
        AtomicInteger passes = new AtomicInteger();
        Thread first = Thread.startVirtualThread(() -> pass(there, back, passes));
        Thread second = Thread.startVirtualThread(() -> pass(back, there, passes));
        there.sink().write(ByteBuffer.allocate(1));
        end(first);
        end(second);
        Check.same(4_000, passes.get(), "passes");
    }

    private static void pass(Pipe from, Pipe to, AtomicInteger passes) {
        try (Selector selector = Check.open()) {
            from.source().configureBlocking(false).register(selector, SelectionKey.OP_READ);
            ByteBuffer buffer = ByteBuffer.allocate(1);
            for (int i = 0; i < 2_000; i++) {
                Check.same(1, selector.select(key -> { }), "keys");
                Check.same(1, from.source().read(buffer.clear()), "bytes");
                to.sink().write(buffer.flip());
                passes.incrementAndGet();
            }
        } catch (Exception e) {
            e.printStackTrace();
        }
    }

    private static void await(CountDownLatch latch) throws InterruptedException {
        Check.that(latch.await(90, TimeUnit.SECONDS), "something that had to happen did not");
    }

    private static void end(Thread thread) throws InterruptedException {
        Check.that(thread.join(java.time.Duration.ofSeconds(90)),
                "a virtual thread does not end: no carrier left for it?");
    }
}
