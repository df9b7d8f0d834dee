// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.count;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The longest busy time of each loop that ended between two looks of one reader. Other readers have their own. Until it
 * is closed, each end of a busy time costs every loop one more comparison. It keeps no loop alive. Used by one thread.
 */
public final class IntervalLongest implements AutoCloseable {
    /** By the loop's number. */
    private Map<Long, Followed> loops = new HashMap<>();

    private record Followed(BusyTimes source, AtomicLong ended) {
        static Followed of(LoopStatistics statistics) {
            Followed followed = new Followed(statistics.busyTimes, new AtomicLong(statistics.longestBusyNanos()));
            followed.source.follow(followed.ended);
            return followed;
        }
    }

    /** {@return the longest since the last look by the loop's number; of loops that are new, since they were opened} */
    public Map<Long, Long> look() {
        Map<Long, Followed> open = new HashMap<>();
        Map<Long, Long> longest = new TreeMap<>();
        for (Loop loop : Loops.open()) {
            LoopStatistics statistics = loop.statistics();
            Followed known = loops.get(statistics.number());
            Followed followed = known == null ? Followed.of(statistics) : known;
            open.put(statistics.number(), followed);
            longest.put(statistics.number(), followed.ended.getAndSet(0));
        }
        loops = open;
        return longest;
    }

    @Override
    public void close() {
        loops.values().forEach(followed -> followed.source.unfollow(followed.ended));
    }
}
