// SPDX-License-Identifier: Apache-2.0
package dev.pollux.waiting;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.lab.Io;
import dev.pollux.lab.Job;
import dev.pollux.lab.Loop;
import dev.pollux.lab.Loop.Wait;
import dev.pollux.lab.LoopLab;
import dev.pollux.lab.SignalStorm;
import java.nio.channels.Pipe;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;

/** Timeouts: never early and not for ever, also while signals interrupt the system call, as profilers send them. */
class TimeoutTest {

    /** Far above what any of these waits takes, for slow machines. */
    private static final long GENEROUS = TimeUnit.SECONDS.toNanos(20);

    @EachLoop
    void noWaitReturnsBeforeItsTimeout(LoopLab lab) throws Exception {
        Loop loop = lab.loop();
        loop.watch(lab.tcp().near());
        for (Wait wait : loop.waits()) {
            for (long millis : new long[] {1, 2, 3, 10, 50, 250}) {
                assertLasts(wait, millis);
            }
        }
    }

    @EachLoop
    void theShortestTimeoutIsNeverCutShort(LoopLab lab) throws Exception {
        Loop loop = lab.loop();
        for (int i = 0; i < 300; i++) {
            assertLasts(loop.waits().get(0), 1);
        }
    }

    @EachLoop
    void theLongestTimeoutsWaitUntilSomethingHappens(LoopLab lab) throws Exception {
        Loop loop = lab.loop();
        Pipe pipe = lab.pipe();
        loop.watch(pipe.source());
        for (long millis : new long[] {Long.MAX_VALUE, Long.MAX_VALUE / 1_000_000, Integer.MAX_VALUE, 1L << 32}) {
            for (Wait wait : loop.waits()) {
                Job<Integer> job = lab.start(() -> wait.await(millis));
                job.awaitSelecting();
                Thread.sleep(20);
                assertFalse(job.isDone(), "a timeout of " + millis + " ms ended early");
                Io.feed(pipe);
                assertEquals(1, job.result());
                Io.drain(pipe.source());
            }
        }
    }

    @EachLoop
    void anEventEndsAWaitBeforeItsTimeout(LoopLab lab) throws Exception {
        Loop loop = lab.loop();
        Pipe pipe = lab.pipe();
        loop.watch(pipe.source());
        for (Wait wait : loop.waits()) {
            Job<Integer> job = lab.start(() -> wait.await(100_000));
            job.awaitSelecting();
            Io.feed(pipe);
            assertEquals(1, job.result());
            Io.drain(pipe.source());
        }
    }

    @EachLoop
    void aThreadThatWaitsUsesNoProcessor(LoopLab lab) throws Exception {
        Loop loop = lab.loop();
        loop.watch(lab.tcp().near());
        for (Wait wait : loop.waits()) {
            Io.assertSleeps(wait::await, 200);
        }
    }

    @EachLoop
    void aSignalNeverEndsAWaitEarly(LoopLab lab) throws Exception {
        Loop loop = lab.loop();
        loop.watch(lab.tcp().near());
        try (SignalStorm storm = SignalStorm.againstThisThread()) {
            for (Wait wait : loop.waits()) {
                for (long millis : new long[] {1, 3, 20, 100}) {
                    assertLasts(wait, millis);
                }
            }
            assertTrue(storm.isRaging());
        }
    }

    @EachLoop
    @Tag("beyond-jdk")
    void aTimeoutHoldsUnderAStormOfSignals(LoopLab lab) throws Exception {
        Loop loop = lab.loop();
        loop.watch(lab.tcp().near());
        try (SignalStorm storm = SignalStorm.againstThisThread()) {
            long millis = TimeUnit.NANOSECONDS.toMillis(assertLasts(loop.waits().get(0), 500));
            assertTrue(storm.isRaging());
            assertTrue(millis < 3000, "500 ms took " + millis + " ms");
        }
    }

    @EachLoop
    void eventsAndWakeupsArriveUnderAStormOfSignals(LoopLab lab) throws Exception {
        Loop loop = lab.loop();
        Pipe pipe = lab.pipe();
        loop.watch(pipe.source());
        try (SignalStorm storm = SignalStorm.againstThisThread()) {
            for (int i = 0; i < 200; i++) {
                Io.feed(pipe);
                assertEquals(1, loop.await());
                Io.drain(pipe.source());
                loop.wakeup();
                assertEquals(0, loop.await());
            }
            Job<Void> feeder = lab.start(() -> {
                Thread.sleep(100);
                Io.feed(pipe);
                return null;
            });
            assertEquals(1, loop.await());
            feeder.result();
            assertTrue(storm.isRaging());
        }
    }

    /** Returns how many nanoseconds the wait took. */
    private static long assertLasts(Wait wait, long millis) throws Exception {
        long nanos = Io.nanosOf(() -> assertEquals(0, wait.await(millis)));
        assertTrue(nanos >= TimeUnit.MILLISECONDS.toNanos(millis), millis + " ms took " + nanos + " ns");
        assertTrue(nanos < GENEROUS, millis + " ms took " + nanos + " ns");
        return nanos;
    }
}
