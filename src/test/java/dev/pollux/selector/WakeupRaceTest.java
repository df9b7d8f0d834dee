// SPDX-License-Identifier: Apache-2.0
package dev.pollux.selector;

import static java.nio.channels.SelectionKey.OP_READ;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.lab.Io;
import dev.pollux.lab.Job;
import java.nio.channels.Pipe;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;

/** Wakeups from several threads: none may get lost, in whatever moment it comes. */
@Tag("load")
class WakeupRaceTest {

    private static final long RACE = TimeUnit.SECONDS.toNanos(1);

    @EachProvider
    void everyWakeupEndsASelection(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Semaphore returned = new Semaphore(0);
        AtomicBoolean done = new AtomicBoolean();
        Job<Void> job = lab.start(() -> {
            while (!done.get()) {
                selector.select();
                returned.release();
            }
            return null;
        });
        long end = System.nanoTime() + RACE;
        long rounds = 0;
        while (System.nanoTime() < end) {
            selector.wakeup();
            assertTrue(returned.tryAcquire(20, TimeUnit.SECONDS), "wakeup " + rounds + " was lost");
            delay(rounds++);
        }
        done.set(true);
        selector.wakeup();
        job.result();
        assertTrue(rounds > 100, "rounds: " + rounds);
    }

    @EachProvider
    void noWakeupOfEightThreadsIsLost(Lab lab) throws Exception {
        Selector selector = lab.selector();
        AtomicLong asked = new AtomicLong();
        AtomicLong answered = new AtomicLong();
        AtomicBoolean done = new AtomicBoolean();
        List<Job<Long>> wakers = new ArrayList<>();
        Job<Void> job = lab.start(() -> {
            while (!done.get()) {
                selector.select();
                answered.set(asked.get());
            }
            return null;
        });
        long end = System.nanoTime() + RACE;
        for (int i = 0; i < 8; i++) {
            wakers.add(lab.start(() -> wakeUntil(end, selector, asked, answered)));
        }
        for (Job<Long> waker : wakers) {
            assertTrue(waker.result() > 0);
        }
        done.set(true);
        selector.wakeup();
        job.result();
    }

    /** Asks, wakes, and waits until a selection that returned later has seen the question. */
    private static long wakeUntil(long end, Selector selector, AtomicLong asked, AtomicLong answered)
            throws InterruptedException {
        long rounds = 0;
        while (System.nanoTime() < end) {
            long mine = asked.incrementAndGet();
            selector.wakeup();
            long patience = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
            while (answered.get() < mine) {
                assertTrue(System.nanoTime() < patience, "a wakeup was lost");
                Thread.sleep(0, 1000);
            }
            rounds++;
        }
        return rounds;
    }

    @EachProvider
    void wakeupsAndEventsDoNotSwallowEachOther(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Pipe pipe = lab.pipe();
        pipe.source().register(selector, OP_READ);
        Semaphore woken = new Semaphore(0);
        Semaphore fed = new Semaphore(0);
        AtomicBoolean done = new AtomicBoolean();
        Job<Void> job = lab.start(() -> {
            while (!done.get()) {
                if (selector.select() == 1) {
                    Io.drain(pipe.source());
                    selector.selectedKeys().clear();
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
            selector.wakeup();
            assertTrue(fed.tryAcquire(20, TimeUnit.SECONDS), "an event was lost");
            assertTrue(woken.tryAcquire(20, TimeUnit.SECONDS), "a wakeup was lost");
        }
        done.set(true);
        selector.wakeup();
        job.result();
    }

    private static Void feed(Pipe pipe) throws Exception {
        Io.feed(pipe);
        return null;
    }

    @EachProvider
    void aWakeupThatComesAsATimeoutExpiresIsNotLost(Lab lab) throws Exception {
        Selector selector = lab.selector();
        AtomicBoolean done = new AtomicBoolean();
        AtomicLong wakeups = new AtomicLong();
        Job<Void> waker = lab.start(() -> {
            while (!done.get()) {
                TimeUnit.MICROSECONDS.sleep(1000);
                selector.wakeup();
                wakeups.incrementAndGet();
            }
            return null;
        });
        long end = System.nanoTime() + RACE;
        while (System.nanoTime() < end) {
            selector.select(1);
        }
        done.set(true);
        waker.result();
        assertTrue(wakeups.get() > 0);
        assertEquals(0, selector.wakeup().select());
        long nanos = Io.nanosOf(() -> selector.select(50));
        assertTrue(nanos >= TimeUnit.MILLISECONDS.toNanos(50), "a stale wakeup ended a selection");
    }

    @EachProvider
    void aWakeupRacingWithSelectNowLeavesTheSelectorUsable(Lab lab) throws Exception {
        Selector selector = lab.selector();
        AtomicBoolean done = new AtomicBoolean();
        Job<Void> waker = lab.start(() -> {
            while (!done.get()) {
                selector.wakeup();
            }
            return null;
        });
        long end = System.nanoTime() + RACE / 2;
        while (System.nanoTime() < end) {
            assertEquals(0, selector.selectNow());
        }
        done.set(true);
        waker.result();
        selector.selectNow();
        long nanos = Io.nanosOf(() -> selector.select(50));
        assertTrue(nanos >= TimeUnit.MILLISECONDS.toNanos(50), "a stale wakeup ended a selection");
    }

    /** Moves the next wakeup to another moment of the selection. */
    private static void delay(long round) {
        for (long i = 0; i < (round * 37) % 997; i++) {
            Thread.onSpinWait();
        }
    }
}
