// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.insight;

import java.util.concurrent.TimeUnit;

/**
 * The longest of the times that ended in this minute or the one before it, so that it tells of now, and each of several
 * readers sees it, however often it looks. Minutes count from the first time.
 *
 * <p>Written by one thread at a time, read by any: a reader sees what was so a moment ago. No allocation.
 */
final class RecentLongest {
    static final long MINUTE = TimeUnit.MINUTES.toNanos(1);

    /** When this minute began, by {@link System#nanoTime}. */
    private long began;

    private long longest;
    private long longestBefore;

    RecentLongest(long now) {
        began = now;
    }

    void add(long nanos, long now) {
        long passed = now - began;
        if (passed >= MINUTE) {
            longestBefore = passed < 2 * MINUTE ? longest : 0;
            longest = 0;
            began = now - passed % MINUTE;
        }
        longest = Math.max(longest, nanos);
    }

    /** {@return the longest; 0 if there was none} */
    long at(long now) {
        long passed = now - began;
        return passed >= 2 * MINUTE ? 0 : passed >= MINUTE ? longest : Math.max(longest, longestBefore);
    }
}
