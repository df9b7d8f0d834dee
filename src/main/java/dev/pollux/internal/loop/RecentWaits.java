// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.loop;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Counts the selectors and Pollers whose virtual threads have waited lately: each once in a period of 17 ms. The count
 * is shared, and safe for use by many threads; {@link #join} is for the thread that waits. No allocation.
 */
final class RecentWaits {
    /** A period is 2^24 nanoseconds. */
    private static final int PERIOD_BITS = 24;

    /** Below the period's number: how many joined in the period before, and in this one. */
    private static final int COUNT_BITS = 16;
    private static final long MAX_COUNT = (1 << COUNT_BITS) - 1;

    private static final AtomicLong counts = new AtomicLong();

    /** The last period in which this one was counted. */
    private long joined = -1;

    /** Counts this one once in a period: how many waited in this period or in the one before, the greater number. */
    int join() {
        return join(System.nanoTime() >>> PERIOD_BITS & Integer.MAX_VALUE);
    }

    int join(long period) {
        if (period != joined) {
            joined = period;
            long before;
            do {
                before = counts.get();
            } while (!counts.compareAndSet(before, oneMore(before, period)));
        }
        long now = counts.get();
        return (int) Math.max(now & MAX_COUNT, now >>> COUNT_BITS & MAX_COUNT);
    }

    private static long oneMore(long before, long period) {
        long last = before >>> 2 * COUNT_BITS;
        long count = before & MAX_COUNT;
        if (last == period) {
            return count == MAX_COUNT ? before : before + 1;
        }
        return period << 2 * COUNT_BITS | (last == period - 1 ? count << COUNT_BITS : 0) | 1;
    }
}
