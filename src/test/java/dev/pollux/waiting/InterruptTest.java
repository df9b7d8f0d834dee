// SPDX-License-Identifier: Apache-2.0
package dev.pollux.waiting;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.lab.Io;
import dev.pollux.lab.Job;
import dev.pollux.lab.Loop;
import dev.pollux.lab.Loop.Wait;
import dev.pollux.lab.LoopLab;
import java.nio.channels.Pipe;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;

/** {@code Thread.interrupt} and threads that wait. */
class InterruptTest {

    @EachLoop
    void aWaitOfAnInterruptedThreadReturnsAtOnceWithTheStatusSet(LoopLab lab) throws Exception {
        Loop loop = lab.loop();
        loop.watch(lab.tcp().near());
        Job<Boolean> job = lab.start(() -> {
            Thread.currentThread().interrupt();
            for (Wait wait : loop.waits()) {
                assertEquals(0, wait.await(Loop.FOREVER));
                assertEquals(0, wait.await(30_000));
                assertTrue(Thread.currentThread().isInterrupted());
            }
            return Thread.interrupted();
        });
        assertTrue(job.result());
        assertTrue(loop.isOpen());
    }

    @EachLoop
    void anInterruptEndsAWaitInProgressWithTheStatusSet(LoopLab lab) throws Exception {
        Loop loop = lab.loop();
        loop.watch(lab.pipe().source());
        for (Wait wait : loop.waits()) {
            Job<Boolean> job = lab.start(() -> {
                assertEquals(0, wait.await(Loop.FOREVER));
                return Thread.interrupted();
            });
            job.awaitSelecting();
            job.interrupt();
            assertTrue(job.result());
        }
        assertTrue(loop.isOpen());
    }

    @EachLoop
    void aWaitOfAnInterruptedThreadStillReportsWhatIsReady(LoopLab lab) throws Exception {
        Loop loop = lab.loop();
        Pipe pipe = lab.pipe();
        loop.watch(pipe.source());
        Io.feed(pipe);
        for (Wait wait : loop.waits()) {
            Job<Integer> job = lab.start(() -> {
                Thread.currentThread().interrupt();
                return wait.await(Loop.FOREVER);
            });
            assertEquals(1, job.result());
        }
    }

    @EachLoop
    void anInterruptIsSeenThoughManyWaitsBeforeFoundSomethingAtOnce(LoopLab lab) throws Exception {
        Loop loop = lab.loop();
        Pipe pipe = lab.pipe();
        loop.watch(pipe.source());
        Io.feed(pipe);
        for (int i = 0; i < 1000; i++) {
            assertEquals(1, loop.await());
        }
        Io.drain(pipe.source());
        Job<Integer> job = lab.start(() -> {
            Thread.currentThread().interrupt();
            return loop.await();
        });
        assertEquals(0, job.result());
    }

    @EachLoop
    void aWaitThatOnlyLooksLeavesTheStatusAlone(LoopLab lab) throws Exception {
        Loop loop = lab.loop();
        Job<Boolean> job = lab.start(() -> {
            Thread.currentThread().interrupt();
            for (Wait wait : loop.waits()) {
                assertEquals(0, wait.await(0));
            }
            return Thread.interrupted();
        });
        assertTrue(job.result());
    }

    @EachLoop
    void anInterruptAfterAWaitDoesNotTouchTheLoop(LoopLab lab) throws Exception {
        Loop loop = lab.loop();
        Job<Boolean> job = lab.start(() -> {
            loop.await(1);
            Thread.currentThread().interrupt();
            return Thread.interrupted();
        });
        assertTrue(job.result());
        loop.assertSleeps();
    }

    @EachLoop
    void anInterruptedThreadLeavesNoWakeupBehind(LoopLab lab) throws Exception {
        Loop loop = lab.loop();
        for (int i = 0; i < 50; i++) {
            Job<Integer> job = lab.start(loop::await);
            if (i % 2 == 0) {
                job.awaitSelecting();
            }
            job.interrupt();
            assertEquals(0, job.result());
        }
        loop.assertSleeps();
    }

    @EachLoop
    void everyOneOfManyInterruptsEndsAWait(LoopLab lab) throws Exception {
        Loop loop = lab.loop();
        int rounds = 2000;
        AtomicInteger asked = new AtomicInteger();
        AtomicInteger answered = new AtomicInteger();
        Job<Void> job = lab.start(() -> {
            while (answered.get() < rounds) {
                loop.await();
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

    @EachLoop
    @Tag("beyond-jdk")
    void noInterruptEndsALaterWait(LoopLab lab) throws Exception {
        Loop loop = lab.loop();
        AtomicBoolean over = new AtomicBoolean();
        AtomicInteger interrupted = new AtomicInteger();
        Job<Integer> job = lab.start(() -> {
            int forNoReason = 0;
            while (!over.get()) {
                loop.await();
                if (Thread.interrupted()) {
                    interrupted.incrementAndGet();
                } else {
                    forNoReason++;
                }
            }
            return forNoReason;
        });
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(5);
        while (interrupted.get() < 20_000 && System.nanoTime() < deadline) {
            job.interrupt(); // again and again, so that some come while a wait ends
        }
        over.set(true);
        loop.wakeup();
        int forNoReason = job.result();
        assertTrue(interrupted.get() > 0);
        assertTrue(forNoReason <= 1, forNoReason + " besides the one that was woken, of " + interrupted);
    }
}
