// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.watch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.internal.insight.LoopStatistics;
import dev.pollux.internal.pollset.PollSet;
import dev.pollux.internal.startup.Startup;
import dev.pollux.lab.Warnings;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A selector whose thread has ended is noticed by those who register or wake, unless another thread selects. */
class LostThreadTest {

    private static final long NOT_YET = Long.MAX_VALUE / 2;

    private Warnings warnings;
    private PollSet pollSet;
    private LoopStatistics statistics;

    @BeforeEach
    void open() throws IOException {
        Startup.outcome().require(null);
        warnings = new Warnings();
        pollSet = PollSet.open(null);
        statistics = pollSet.statistics();
    }

    @AfterEach
    void close() {
        pollSet.close();
        warnings.close();
    }

    private LostThread after(long nanos) {
        return new LostThread(statistics, new SelectorLog(pollSet), nanos);
    }

    private void selectInAThreadThatEnds() throws InterruptedException {
        Thread thread = new Thread(this::select, "ended");
        thread.start();
        thread.join();
    }

    private void select() {
        statistics.onBlock();
        statistics.onResume(true);
        statistics.onSelection(0);
    }

    @Test
    void isNamedOnceByRegistrations() throws InterruptedException {
        LostThread lost = after(0);
        selectInAThreadThatEnds();
        lost.look();
        lost.look();
        assertEquals(1, warnings.messages().size());
        assertTrue(warnings.messages().get(0).contains("\"ended\""), warnings.messages().toString());
    }

    @Test
    void isNamedOnceByWakeups() throws InterruptedException {
        LostThread lost = after(0);
        selectInAThreadThatEnds();
        for (int i = 0; i < 1000; i++) {
            lost.onWakeup();
        }
        assertEquals(1, warnings.messages().size());
    }

    @Test
    void isNotNamedBeforeTheFirstSelection() {
        after(0).look();
        assertEquals(List.of(), warnings.messages());
    }

    @Test
    void isNotNamedWhileItsThreadLives() {
        select();
        after(0).look();
        assertEquals(List.of(), warnings.messages());
    }

    @Test
    void isNotNamedAtOnce() throws InterruptedException {
        LostThread lost = after(NOT_YET);
        selectInAThreadThatEnds();
        lost.look();
        lost.look();
        assertEquals(List.of(), warnings.messages());
    }

    /** The next one may come in an hour: nothing is lost. */
    @Test
    void aPoolsThreadsAreNotNamed() throws InterruptedException {
        LostThread lost = after(0);
        for (int i = 0; i < 3; i++) {
            selectInAThreadThatEnds();
        }
        lost.look();
        assertEquals(List.of(), warnings.messages());
    }

    /** One has prepared the selector. */
    @Test
    void theSecondThreadIsNamed() throws InterruptedException {
        LostThread lost = after(0);
        select();
        selectInAThreadThatEnds();
        lost.look();
        assertEquals(1, warnings.messages().size());
    }

    /** It is not known whether another one will come. */
    @Test
    void nothingIsSaidOfTheFuture() throws InterruptedException {
        LostThread lost = after(0);
        selectInAThreadThatEnds();
        lost.look();
        String message = warnings.messages().get(0);
        assertTrue(message.contains("Until one does") && !message.contains("for ever"), message);
    }

    /** Threads of a pool take turns, and each may end. */
    @Test
    void isNotNamedIfOthersHaveSelectedSince() throws InterruptedException {
        LostThread lost = after(1_000_000);
        for (int i = 0; i < 5; i++) {
            selectInAThreadThatEnds();
            lost.look();
            Thread.sleep(2);
        }
        assertEquals(List.of(), warnings.messages());
    }
}
