// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.server;

import dev.pollux.internal.arena.Arena;
import dev.pollux.internal.jni.ArenaNatives;
import java.util.List;

/**
 * What one {@link ServerLoop} counts. Plain numbers, written by the loop's thread and read by others as they are
 * about now. No allocation but for {@link #read}.
 */
public final class LoopCounters {
    /** Where each number of {@link #read} is. */
    public static final int ACCEPTED = 0, ADOPTED = 1, OPEN = 2, REQUESTS = 3, INCOMPLETE = 4, DEFERRED = 5,
            SLOW_PATH = 6, BATCHES = 7, SYSTEM_CALLS = 8, CLOSED_BY_PEER = 9, CLOSED_BY_HANDLER = 10, CLOSED_IDLE = 11,
            CLOSED_TOO_LONG = 12, CLOSED_UNREAD = 13, CLOSED_FAILED = 14, CLOSED_THROWN = 15, CONNECTED = 16,
            WAITING = 17, COUNT = 18;

    private final long[] counts = new long[COUNT];

    void count(int which) {
        counts[which]++;
    }

    long[] read(int open, long waiting, Arena arena) {
        long[] ofArena = new long[ArenaNatives.COUNTS];
        arena.counts(ofArena);
        long[] all = counts.clone();
        all[OPEN] = open;
        all[WAITING] = waiting;
        all[BATCHES] = ofArena[ArenaNatives.TURNS];
        all[SYSTEM_CALLS] = ofArena[ArenaNatives.SYSTEM_CALLS];
        return all;
    }

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
