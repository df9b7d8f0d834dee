// SPDX-License-Identifier: Apache-2.0
package dev.pollux.selector;

import static java.nio.channels.SelectionKey.OP_READ;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.lab.Io;
import dev.pollux.lab.Job;
import java.nio.channels.Pipe;
import java.nio.channels.Selector;
import java.util.concurrent.TimeUnit;

/** Timeouts: never early, and not for ever. */
class TimeoutTest {

    /** Far above what any of these selections takes, for slow machines. */
    private static final long GENEROUS = TimeUnit.SECONDS.toNanos(20);

    @EachProvider
    void aSelectionNeverReturnsBeforeItsTimeout(Lab lab) throws Exception {
        Selector selector = lab.selector();
        lab.tcp().near().register(selector, OP_READ);
        for (long millis : new long[] {1, 2, 3, 10, 50, 250}) {
            long nanos = Io.nanosOf(() -> assertEquals(0, selector.select(millis)));
            assertTrue(nanos >= TimeUnit.MILLISECONDS.toNanos(millis), millis + " ms took " + nanos + " ns");
            assertTrue(nanos < GENEROUS, millis + " ms took " + nanos + " ns");
        }
    }

    @EachProvider
    void theShortestTimeoutIsNeverCutShort(Lab lab) throws Exception {
        Selector selector = lab.selector();
        for (int i = 0; i < 300; i++) {
            long nanos = Io.nanosOf(() -> selector.select(1));
            assertTrue(nanos >= 1_000_000, "1 ms took " + nanos + " ns");
        }
    }

    @EachProvider
    void aConsumerSelectionNeverReturnsBeforeItsTimeout(Lab lab) throws Exception {
        Selector selector = lab.selector();
        for (long millis : new long[] {1, 20, 200}) {
            long nanos = Io.nanosOf(() -> assertEquals(0, selector.select(key -> { }, millis)));
            assertTrue(nanos >= TimeUnit.MILLISECONDS.toNanos(millis), millis + " ms took " + nanos + " ns");
        }
    }

    @EachProvider
    void aNegativeTimeoutIsRefused(Lab lab) throws Exception {
        Selector selector = lab.selector();
        assertThrows(IllegalArgumentException.class, () -> selector.select(-1));
        assertThrows(IllegalArgumentException.class, () -> selector.select(Long.MIN_VALUE));
        assertThrows(IllegalArgumentException.class, () -> selector.select(key -> { }, -1));
    }

    @EachProvider
    void aTimeoutOfZeroWaitsForEver(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Pipe pipe = lab.pipe();
        pipe.source().register(selector, OP_READ);
        Job<Integer> job = lab.start(() -> selector.select(0));
        job.awaitSelecting();
        Thread.sleep(100);
        assertTrue(!job.isDone());
        Io.feed(pipe);
        assertEquals(1, job.result());
    }

    @EachProvider
    void theLongestTimeoutsWaitUntilSomethingHappens(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Pipe pipe = lab.pipe();
        pipe.source().register(selector, OP_READ);
        for (long millis : new long[] {Long.MAX_VALUE, Long.MAX_VALUE / 1_000_000, Integer.MAX_VALUE, 1L << 32}) {
            Job<Integer> job = lab.start(() -> selector.select(key -> { }, millis));
            job.awaitSelecting();
            Thread.sleep(20);
            assertTrue(!job.isDone(), "a timeout of " + millis + " ms ended early");
            Io.feed(pipe);
            assertEquals(1, job.result());
            Io.drain(pipe.source());
        }
    }

    @EachProvider
    void anEventEndsASelectionBeforeItsTimeout(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Pipe pipe = lab.pipe();
        pipe.source().register(selector, OP_READ);
        Job<Integer> job = lab.start(() -> selector.select(100_000));
        job.awaitSelecting();
        Io.feed(pipe);
        assertEquals(1, job.result());
    }

    @EachProvider
    void aWaitingSelectionUsesNoProcessor(Lab lab) throws Exception {
        Selector selector = lab.selector();
        lab.tcp().near().register(selector, OP_READ);
        long cpu = Io.cpuMillisOf(() -> selector.select(400));
        assertTrue(cpu < 100, "processor time: " + cpu + " ms");
    }
}
