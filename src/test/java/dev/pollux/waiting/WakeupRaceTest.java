// SPDX-License-Identifier: Apache-2.0
package dev.pollux.waiting;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.lab.Io;
import dev.pollux.lab.Job;
import dev.pollux.lab.Loop;
import dev.pollux.lab.LoopLab;
import java.nio.channels.Pipe;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;

/** Wakeups from several threads: none may get lost, in whatever moment it comes. */
class WakeupRaceTest {

    private static final long RACE = TimeUnit.SECONDS.toNanos(1);
    private static final long PATIENCE_SECONDS = 20;

    @EachLoop
    void everyWakeupEndsAWait(LoopLab lab) throws Exception {
        Loop loop = lab.loop();
        Semaphore returned = new Semaphore(0);
        AtomicBoolean done = new AtomicBoolean();
        Job<Void> job = lab.start(() -> {
            while (!done.get()) {
                assertEquals(0, loop.await());
                returned.release();
            }
            return null;
        });
        for (int round = 0; round < 3000; round++) {
            loop.wakeup();
            assertTrue(returned.tryAcquire(PATIENCE_SECONDS, TimeUnit.SECONDS), "wakeup " + round + " was lost");
            delay(round);
        }
        done.set(true);
        loop.wakeup();
        job.result();
    }

    /** Moves the next wakeup to another moment of the wait. */
    private static void delay(long round) {
        for (long i = 0; i < (round * 37) % 997; i++) {
            Thread.onSpinWait();
        }
    }

    @EachLoop
    @Tag("load")
    void noWakeupOfEightThreadsIsLost(LoopLab lab) throws Exception {
        Loop loop = lab.loop();
        AtomicLong asked = new AtomicLong();
        AtomicLong answered = new AtomicLong();
        AtomicBoolean done = new AtomicBoolean();
        List<Job<Long>> wakers = new ArrayList<>();
        Job<Void> job = lab.start(() -> {
            while (!done.get()) {
                loop.await();
                answered.set(asked.get());
            }
            return null;
        });
        long end = System.nanoTime() + RACE;
        for (int i = 0; i < 8; i++) {
            wakers.add(lab.start(() -> wakeUntil(end, loop, asked, answered)));
        }
        for (Job<Long> waker : wakers) {
            assertTrue(waker.result() > 0);
        }
        done.set(true);
        loop.wakeup();
        job.result();
    }

    /** Asks, wakes, and waits until a wait that returned later has seen the question. */
    private static long wakeUntil(long end, Loop loop, AtomicLong asked, AtomicLong answered)
            throws InterruptedException {
        long rounds = 0;
        while (System.nanoTime() < end) {
            long mine = asked.incrementAndGet();
            loop.wakeup();
            long patience = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
            while (answered.get() < mine) {
                assertTrue(System.nanoTime() < patience, "a wakeup was lost");
                Thread.sleep(0, 1000);
            }
            rounds++;
        }
        return rounds;
    }

    @EachLoop
    @Tag("load")
    void wakeupsAndEventsDoNotSwallowEachOther(LoopLab lab) throws Exception {
        Loop loop = lab.loop();
        Pipe pipe = lab.pipe();
        loop.watch(pipe.source());
        Semaphore woken = new Semaphore(0);
        Semaphore fed = new Semaphore(0);
        AtomicBoolean done = new AtomicBoolean();
        Job<Void> job = lab.start(() -> {
            while (!done.get()) {
                if (loop.await() == 1) {
                    Io.drain(pipe.source());
                    fed.release();
                }
                woken.release();
            }
            return null;
        });
        long end = System.nanoTime() + RACE;
        for (long i = 0; System.nanoTime() < end; i++) {
            Job<Void> feeder = i % 16 == 0 ? lab.start(() -> feed(pipe)) : null;
            if (feeder == null) {
                Io.feed(pipe);
            }
            loop.wakeup();
            assertTrue(fed.tryAcquire(PATIENCE_SECONDS, TimeUnit.SECONDS), "an event was lost");
            assertTrue(woken.tryAcquire(PATIENCE_SECONDS, TimeUnit.SECONDS), "a wakeup was lost");
        }
        done.set(true);
        loop.wakeup();
        job.result();
    }

    private static Void feed(Pipe pipe) throws Exception {
        Io.feed(pipe);
        return null;
    }

    @EachLoop
    @Tag("load")
    void aWakeupThatComesAsATimeoutExpiresIsNotLost(LoopLab lab) throws Exception {
        Loop loop = lab.loop();
        AtomicBoolean done = new AtomicBoolean();
        AtomicLong wakeups = new AtomicLong();
        Job<Void> waker = lab.start(() -> {
            while (!done.get()) {
                TimeUnit.MILLISECONDS.sleep(1);
                loop.wakeup();
                wakeups.incrementAndGet();
            }
            return null;
        });
        long end = System.nanoTime() + RACE;
        while (System.nanoTime() < end) {
            loop.await(1);
        }
        done.set(true);
        waker.result();
        assertTrue(wakeups.get() > 0);
        loop.wakeup();
        assertEquals(0, loop.await());
        loop.assertSleeps();
    }

    @EachLoop
    @Tag("load")
    void wakeupsThatRaceWithLooksLeaveTheLoopUsable(LoopLab lab) throws Exception {
        Loop loop = lab.loop();
        AtomicBoolean done = new AtomicBoolean();
        Job<Void> waker = lab.start(() -> {
            while (!done.get()) {
                loop.wakeup();
            }
            return null;
        });
        long end = System.nanoTime() + RACE / 2;
        while (System.nanoTime() < end) {
            assertEquals(0, loop.await(0));
        }
        done.set(true);
        waker.result();
        loop.await(0);
        loop.assertSleeps();
    }
}
