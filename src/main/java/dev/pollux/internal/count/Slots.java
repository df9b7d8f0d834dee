// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.count;

import java.util.BitSet;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Small numbers for the loops that last, for labels: a monitoring system keeps a series for each label that it has
 * ever seen. The number of a loop grows with each one that is opened. A slot is the lowest that no other loop of the
 * same kind has; it is free again when its loop is closed. A loop gets its slot from the first reader that looks when
 * the loop is older than five seconds, and has keys or waits. So a selector that is opened for one wait gets none, and
 * loops that are never looked at cost nothing. Safe for use by many threads; it keeps no loop alive.
 */
public final class Slots {
    public static final int NONE = -1;

    private static final long MIN_AGE_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** Guarded by this class. */
    private static final Map<Loop, Integer> TAKEN = new WeakHashMap<>();

    private Slots() {
    }

    /** {@return the slots of those loops that have one} */
    public static Map<Loop, Integer> all() {
        return all(MIN_AGE_NANOS);
    }

    static synchronized Map<Loop, Integer> all(long minAgeNanos) {
        Set<Loop> open = new LinkedHashSet<>(Loops.open());
        TAKEN.keySet().retainAll(open);
        Map<String, BitSet> byKind = new HashMap<>();
        TAKEN.forEach((loop, slot) -> ofKind(byKind, loop).set(slot));
        for (Loop loop : open) {
            if (!TAKEN.containsKey(loop) && isLasting(loop, minAgeNanos)) {
                int slot = ofKind(byKind, loop).nextClearBit(0);
                ofKind(byKind, loop).set(slot);
                TAKEN.put(loop, slot);
            }
        }
        return new HashMap<>(TAKEN);
    }

    private static BitSet ofKind(Map<String, BitSet> byKind, Loop loop) {
        return byKind.computeIfAbsent(loop.kind(), kind -> new BitSet());
    }

    private static boolean isLasting(Loop loop, long minAgeNanos) {
        LoopStatistics statistics = loop.statistics();
        return statistics.elapsedNanos() >= minAgeNanos && (loop.size() > 0 || statistics.isWaiting());
    }
}
