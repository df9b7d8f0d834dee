// SPDX-License-Identifier: Apache-2.0
package dev.pollux.selector;

import static java.nio.channels.SelectionKey.OP_READ;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.lab.Io;
import dev.pollux.lab.Job;
import java.nio.channels.Pipe;
import java.nio.channels.Selector;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;

/** {@code Thread.interrupt} and selections. */
class InterruptTest {

    @EachProvider
    void anInterruptBeforeASelectionMakesItReturnAtOnceWithTheStatusSet(Lab lab) throws Exception {
        Selector selector = lab.selector();
        lab.tcp().near().register(selector, OP_READ);
        Job<Boolean> job = lab.start(() -> {
            Thread.currentThread().interrupt();
            assertEquals(0, selector.select());
            assertEquals(0, selector.select(30_000));
            assertEquals(0, selector.select(key -> { }));
            return Thread.interrupted();
        });
        assertTrue(job.result());
        assertTrue(selector.isOpen());
    }

    @EachProvider
    void anInterruptEndsASelectionInProgressWithTheStatusSet(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Job<Boolean> job = lab.start(() -> {
            assertEquals(0, selector.select());
            return Thread.interrupted();
        });
        job.awaitSelecting();
        job.interrupt();
        assertTrue(job.result());
        assertTrue(selector.isOpen());
    }

    @EachProvider
    void anInterruptedSelectionStillReportsWhatIsReady(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Pipe pipe = lab.pipe();
        pipe.source().register(selector, OP_READ);
        Io.feed(pipe);
        Job<Integer> job = lab.start(() -> {
            Thread.currentThread().interrupt();
            return selector.select();
        });
        assertEquals(1, job.result());
    }

    @EachProvider
    void manyReadySelectionsWithTheStatusSetReturnAtOnceToo(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Pipe pipe = lab.pipe();
        pipe.source().register(selector, OP_READ);
        Io.feed(pipe);
        for (int i = 0; i < 1000; i++) {
            assertEquals(1, selector.select());
            selector.selectedKeys().clear();
        }
        Io.drain(pipe.source());
        Job<Integer> job = lab.start(() -> {
            Thread.currentThread().interrupt();
            return selector.select();
        });
        assertEquals(0, job.result());
    }

    @EachProvider
    void selectNowLeavesTheStatusAlone(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Job<Boolean> job = lab.start(() -> {
            Thread.currentThread().interrupt();
            assertEquals(0, selector.selectNow());
            assertEquals(0, selector.selectNow(key -> { }));
            return Thread.interrupted();
        });
        assertTrue(job.result());
    }

    @EachProvider
    void anInterruptAfterASelectionDoesNotTouchTheSelector(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Job<Boolean> job = lab.start(() -> {
            selector.select(1);
            Thread.currentThread().interrupt();
            return Thread.interrupted();
        });
        assertTrue(job.result());
        long nanos = Io.nanosOf(() -> selector.select(100));
        assertTrue(nanos >= TimeUnit.MILLISECONDS.toNanos(100));
    }

    @EachProvider
    void everyOneOfManyInterruptsEndsASelection(Lab lab) throws Exception {
        Selector selector = lab.selector();
        int rounds = 2000;
        AtomicInteger asked = new AtomicInteger();
        AtomicInteger answered = new AtomicInteger();
        Job<Void> job = lab.start(() -> {
            while (answered.get() < rounds) {
                selector.select();
                if (Thread.interrupted()) {
                    answered.set(asked.get());
                }
            }
            return null;
        });
        for (int round = 1; round <= rounds; round++) {
            asked.set(round);
            job.interrupt();
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
            while (answered.get() < round) {
                assertTrue(System.nanoTime() < deadline, "interrupt " + round + " was lost");
                Thread.onSpinWait();
            }
        }
        job.result();
    }

    @EachProvider
    @Tag("beyond-jdk")
    void noInterruptEndsALaterSelection(Lab lab) throws Exception {
        Selector selector = lab.selector();
        AtomicBoolean over = new AtomicBoolean();
        AtomicInteger interrupted = new AtomicInteger();
        Job<Integer> job = lab.start(() -> {
            int forNoReason = 0;
            while (!over.get()) {
                selector.select();
                if (Thread.interrupted()) {
                    interrupted.incrementAndGet();
                } else {
                    forNoReason++;
                }
            }
            return forNoReason;
        });
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (interrupted.get() < 20_000 && System.nanoTime() < deadline) {
            job.interrupt(); // again and again, so that some come while a selection ends
        }
        over.set(true);
        selector.wakeup();
        int forNoReason = job.result();
        assertTrue(interrupted.get() > 0);
        assertTrue(forNoReason <= 1, forNoReason + " besides the one that was woken, of " + interrupted);
    }
}
