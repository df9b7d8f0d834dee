// SPDX-License-Identifier: Apache-2.0
package dev.pollux.poller;

import static dev.pollux.Poller.POLLIN;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.Poller;
import dev.pollux.lab.Io;
import dev.pollux.lab.Job;
import dev.pollux.lab.SignalStorm;
import java.nio.channels.Pipe;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

/** Timeouts in nanoseconds and other units, and such as have passed. */
class TimeoutTest {

    /** Far above what any of these awaits takes, for slow machines. */
    private static final long GENEROUS = TimeUnit.SECONDS.toNanos(20);

    @EachMechanism
    void noFractionOfAMillisecondIsCutOff(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        poller.add(lab.tcp().near(), POLLIN);
        for (Form form : Form.values()) {
            for (long timeout : new long[] {1, 999, 1_000_001, 3_700_000}) {
                assertLasts(poller, form, timeout);
            }
        }
    }

    @EachMechanism
    void norIsItUnderAStormOfSignals(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        try (SignalStorm storm = SignalStorm.againstThisThread()) {
            for (Form form : Form.values()) {
                for (int i = 0; i < 100; i++) {
                    assertLasts(poller, form, 1_500_000);
                }
            }
            assertTrue(storm.isRaging());
        }
    }

    @EachMechanism
    void theShortestTimeoutIsNeverCutShort(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        for (int i = 0; i < 300; i++) {
            assertLasts(poller, Form.HANDLER, 100_000 + i * 1000);
        }
    }

    @EachMechanism
    void theTimeToADeadlineThatHasPassedIsNotWaitedFor(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        poller.add(lab.tcp().near(), POLLIN);
        Poller.Handler nothing = (member, events) -> { };
        for (long nanos : new long[] {0, -1, -1_000_000_000, Long.MIN_VALUE}) {
            for (Form form : Form.values()) {
                assertEquals(0, form.await(poller, nanos));
            }
        }
        for (TimeUnit unit : TimeUnit.values()) {
            assertEquals(0, poller.await(nothing, -1, unit));
            assertEquals(0, poller.await(nothing, Long.MIN_VALUE, unit));
        }
    }

    @EachMechanism
    void theLongestTimeoutsWaitUntilSomethingHappens(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Pipe pipe = lab.pipe();
        poller.add(pipe.source(), POLLIN);
        for (long timeout : new long[] {Long.MAX_VALUE - 1, 1L << 62, TimeUnit.DAYS.toNanos(30)}) {
            assertWaitsForTheEvent(lab, pipe, () -> Form.HANDLER.await(poller, timeout));
        }
        assertWaitsForTheEvent(lab, pipe, () -> poller.await((member, events) -> { }));
        assertWaitsForTheEvent(lab, pipe, () -> poller.await((member, events) -> { }, 200_000, TimeUnit.DAYS));
        for (TimeUnit unit : TimeUnit.values()) {
            assertWaitsForTheEvent(lab, pipe, () -> poller.await((member, events) -> { }, Poller.FOREVER, unit));
        }
    }

    private static void assertWaitsForTheEvent(PollerLab lab, Pipe pipe, Callable<Integer> await) throws Exception {
        Job<Integer> job = lab.start(await);
        job.awaitSelecting();
        Awaits.assertGoesOn(job);
        Io.feed(pipe);
        assertEquals(1, job.result());
        Io.drain(pipe.source());
    }

    private static void assertLasts(Poller poller, Form form, long timeout) throws Exception {
        long nanos = Io.nanosOf(() -> assertEquals(0, form.await(poller, timeout)));
        assertTrue(nanos >= timeout, timeout + " ns took " + nanos + " ns");
        assertTrue(nanos < GENEROUS, timeout + " ns took " + nanos + " ns");
    }
}
