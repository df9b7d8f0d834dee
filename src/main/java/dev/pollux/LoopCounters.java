// SPDX-License-Identifier: Apache-2.0
package dev.pollux;

import dev.pollux.internal.arena.Arena;
import dev.pollux.internal.jni.ArenaNatives;

/**
 * What one {@link InterruptLoop} counts. Plain fields, written by the loop's thread and read by others as they are
 * about now. No allocation but for {@link #read}.
 */
final class LoopCounters {
    /** Why a connection is closed, in the order of {@link InterruptStatistics}. */
    static final int PEER = 0, HANDLER = 1, IDLE = 2, TOO_LONG = 3, UNREAD = 4, FAILED = 5, THROWN = 6, REASONS = 7;

    private final long[] closed = new long[REASONS];
    private long accepted;
    private long adopted;
    private long requests;
    private long incomplete;
    private long deferred;
    private long slowPath;

    void onAccepted() {
        accepted++;
    }

    void onAdopted() {
        adopted++;
    }

    void onRequest() {
        requests++;
    }

    void onIncomplete() {
        incomplete++;
    }

    void onDeferred() {
        deferred++;
    }

    void onSlowPath() {
        slowPath++;
    }

    void onClosed(int reason) {
        closed[reason]++;
    }

    InterruptStatistics read(int open, Arena arena) {
        long[] counts = new long[ArenaNatives.COUNTS];
        arena.counts(counts);
        long[] all = new long[InterruptStatistics.COUNT];
        all[InterruptStatistics.ACCEPTED] = accepted;
        all[InterruptStatistics.ADOPTED] = adopted;
        all[InterruptStatistics.OPEN] = open;
        all[InterruptStatistics.REQUESTS] = requests;
        all[InterruptStatistics.INCOMPLETE] = incomplete;
        all[InterruptStatistics.DEFERRED] = deferred;
        all[InterruptStatistics.SLOW_PATH] = slowPath;
        all[InterruptStatistics.BATCHES] = counts[ArenaNatives.TURNS];
        all[InterruptStatistics.SYSTEM_CALLS] = counts[ArenaNatives.SYSTEM_CALLS];
        System.arraycopy(closed, 0, all, InterruptStatistics.CLOSED_BY_PEER, REASONS);
        return new InterruptStatistics(all);
    }
}
