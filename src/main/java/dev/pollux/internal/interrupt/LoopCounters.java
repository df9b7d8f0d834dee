// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.interrupt;

import dev.pollux.internal.arena.Arena;
import dev.pollux.internal.jni.ArenaNatives;
import java.util.List;

/**
 * What one {@link InterruptLoop} counts. Plain fields, written by the loop's thread and read by others as they are
 * about now. No allocation but for {@link #read}.
 */
public final class LoopCounters {
    /** Where each number of {@link #read} is. */
    public static final int ACCEPTED = 0, ADOPTED = 1, OPEN = 2, REQUESTS = 3, INCOMPLETE = 4, DEFERRED = 5,
            SLOW_PATH = 6, BATCHES = 7, SYSTEM_CALLS = 8, CLOSED_BY_PEER = 9, CLOSED_BY_HANDLER = 10, CLOSED_IDLE = 11,
            CLOSED_TOO_LONG = 12, CLOSED_UNREAD = 13, CLOSED_FAILED = 14, CLOSED_THROWN = 15, COUNT = 16;

    /** Why a connection is closed, in the order of {@link #CLOSED_BY_PEER} and those behind it. */
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

    long[] read(int open, Arena arena) {
        long[] counts = new long[ArenaNatives.COUNTS];
        arena.counts(counts);
        long[] all = new long[COUNT];
        all[ACCEPTED] = accepted;
        all[ADOPTED] = adopted;
        all[OPEN] = open;
        all[REQUESTS] = requests;
        all[INCOMPLETE] = incomplete;
        all[DEFERRED] = deferred;
        all[SLOW_PATH] = slowPath;
        all[BATCHES] = counts[ArenaNatives.TURNS];
        all[SYSTEM_CALLS] = counts[ArenaNatives.SYSTEM_CALLS];
        System.arraycopy(closed, 0, all, CLOSED_BY_PEER, REASONS);
        return all;
    }

    /** What several loops have counted. */
    public static long[] sum(List<long[]> loops) {
        long[] sums = new long[COUNT];
        for (long[] counts : loops) {
            for (int i = 0; i < COUNT; i++) {
                sums[i] += counts[i];
            }
        }
        return sums;
    }
}
