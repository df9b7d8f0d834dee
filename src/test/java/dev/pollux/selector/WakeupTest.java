// SPDX-License-Identifier: Apache-2.0
package dev.pollux.selector;

import static java.nio.channels.SelectionKey.OP_READ;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.lab.Io;
import dev.pollux.lab.Job;
import java.nio.channels.Pipe;
import java.nio.channels.Selector;
import java.util.concurrent.TimeUnit;

/** {@code Selector.wakeup}, one thread at a time. */
class WakeupTest {

    private static final long SHORT = 150;
    private static final long SHORT_NANOS = TimeUnit.MILLISECONDS.toNanos(SHORT);

    @EachProvider
    void wakeupReturnsTheSelector(Lab lab) throws Exception {
        Selector selector = lab.selector();
        assertSame(selector, selector.wakeup());
    }

    @EachProvider
    void aWakeupBeforeASelectionMakesItReturnAtOnce(Lab lab) throws Exception {
        Selector selector = lab.selector();
        lab.tcp().near().register(selector, OP_READ);
        assertEquals(0, selector.wakeup().select());
        assertEquals(0, selector.wakeup().select(30_000));
        assertEquals(0, selector.wakeup().select(key -> { }));
    }

    @EachProvider
    void aWakeupEndsASelectionInProgress(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Job<Integer> job = lab.start(selector::select);
        job.awaitSelecting();
        selector.wakeup();
        assertEquals(0, job.result());
    }

    @EachProvider
    void aWakeupEndsASelectionWithAnEndlessTimeout(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Job<Integer> job = lab.start(() -> selector.select(Long.MAX_VALUE));
        job.awaitSelecting();
        selector.wakeup();
        assertEquals(0, job.result());
    }

    @EachProvider
    void aWakeupEndsAConsumerSelection(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Job<Integer> job = lab.start(() -> selector.select(key -> { }));
        job.awaitSelecting();
        selector.wakeup();
        assertEquals(0, job.result());
    }

    @EachProvider
    void aWakeupIsUsedUpByTheSelectionItEnds(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Job<Integer> job = lab.start(selector::select);
        job.awaitSelecting();
        selector.wakeup();
        job.result();
        assertBlocks(selector);
    }

    @EachProvider
    void severalWakeupsBetweenSelectionsAreOne(Lab lab) throws Exception {
        Selector selector = lab.selector();
        for (int i = 0; i < 100; i++) {
            selector.wakeup();
        }
        assertEquals(0, selector.select());
        assertBlocks(selector);
    }

    @EachProvider
    void severalWakeupsDuringASelectionLeaveAtMostOneBehind(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Job<Integer> job = lab.start(selector::select);
        job.awaitSelecting();
        for (int i = 0; i < 100; i++) {
            selector.wakeup();
        }
        assertEquals(0, job.result());
        selector.select(SHORT);
        assertBlocks(selector);
    }

    @EachProvider
    void selectNowUsesAWakeupUp(Lab lab) throws Exception {
        Selector selector = lab.selector();
        selector.wakeup();
        assertEquals(0, selector.selectNow());
        assertBlocks(selector);
        selector.wakeup();
        assertEquals(0, selector.selectNow(key -> { }));
        assertBlocks(selector);
    }

    @EachProvider
    void aWokenSelectionStillReportsWhatIsReady(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Pipe pipe = lab.pipe();
        pipe.source().register(selector, OP_READ);
        Io.feed(pipe);
        assertEquals(1, selector.wakeup().select());
        selector.selectedKeys().clear();
        Io.drain(pipe.source());
        assertBlocks(selector);
    }

    @EachProvider
    void aWakeupFromAnActionIsForTheNextSelection(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Pipe pipe = lab.pipe();
        pipe.source().register(selector, OP_READ);
        Io.feed(pipe);
        assertEquals(1, selector.select(key -> selector.wakeup()));
        Io.drain(pipe.source());
        assertEquals(0, selector.select(key -> { }));
        assertBlocks(selector);
    }

    @EachProvider
    void whatWasWrittenBeforeAWakeupIsSeenAfterTheSelection(Lab lab) throws Exception {
        Selector selector = lab.selector();
        int rounds = 2000;
        int[] plain = new int[2];
        Job<Void> job = lab.start(() -> {
            Selector other = selector;
            for (int i = 1; i <= rounds; i++) {
                plain[0] = i;
                other.wakeup();
                assertTrue(other.keys().isEmpty());
            }
            return null;
        });
        int seen = 0;
        while (seen < rounds) {
            selector.select();
            assertTrue(plain[0] >= seen, "a plain write went backwards");
            seen = plain[0];
        }
        job.result();
        assertEquals(rounds, plain[0]);
    }

    @EachProvider
    void wakingOneSelectorLeavesAnotherAlone(Lab lab) throws Exception {
        Selector one = lab.selector();
        Selector two = lab.selector();
        one.wakeup();
        assertBlocks(two);
        assertEquals(0, one.select());
    }

    /** No wakeup is pending: a selection waits its full time. */
    private static void assertBlocks(Selector selector) throws Exception {
        long nanos = Io.nanosOf(() -> assertEquals(0, selector.select(SHORT)));
        assertTrue(nanos >= SHORT_NANOS, "returned after " + nanos + " ns");
    }
}
