// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.count;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

/**
 * How long a loop was busy, each time from one wait to the next: how many of these times were short or long, since the
 * loop was opened, and the longest that ended in this minute or the one before it. So the longest tells of now, and
 * each of several readers sees it, however often it looks. Minutes count from the first time. Written by one thread at
 * a time, read by any: a reader sees what was so a moment ago. Writers allocate for the first time alone, so that a
 * selector that never waits stays small.
 */
public final class BusyTimes {
    private static final AtomicLong[] NONE = {};

    static final long MINUTE = TimeUnit.MINUTES.toNanos(1);

    /** Upper bounds, each ten times the one before it: 1 ms, 10 ms, 100 ms, 1 s, 10 s. Longer ones are counted too. */
    public static final int BOUNDS = 5;

    /** Place of 1 s among the bounds. */
    public static final int SECOND_BOUND = 3;

    private static final long FIRST_BOUND = 1_000_000;

    /** When this minute began, by {@link System#nanoTime}. */
    private long began;

    private long longest;
    private long longestBefore;

    /** How many were above one bound and not above the next; null before the first. */
    private long[] counts;

    /** Those of {@link IntervalLongest}; mostly none. Never changed in place. */
    private volatile AtomicLong[] followers = NONE;

    BusyTimes(long now) {
        began = now;
    }

    void add(long nanos, long now) {
        if (counts == null) {
            counts = new long[BOUNDS + 1];
        }
        long passed = now - began;
        if (passed >= MINUTE) {
            longestBefore = passed < 2 * MINUTE ? longest : 0;
            longest = 0;
            began = now - passed % MINUTE;
        }
        longest = Math.max(longest, nanos);
        counts[bucket(nanos)]++;
        for (AtomicLong follower : followers) {
            if (nanos > follower.get()) {
                follower.set(nanos);
            }
        }
    }

    /** From now on the follower is the longest of the times that have ended since it was set to 0. */
    synchronized void follow(AtomicLong follower) {
        followers = Stream.concat(Stream.of(followers), Stream.of(follower)).toArray(AtomicLong[]::new);
    }

    synchronized void unfollow(AtomicLong follower) {
        followers = Stream.of(followers).filter(each -> each != follower).toArray(AtomicLong[]::new);
    }

    private static int bucket(long nanos) {
        int i = 0;
        for (long bound = FIRST_BOUND; i < BOUNDS && nanos > bound; bound *= 10) {
            i++;
        }
        return i;
    }

    /** {@return the longest; 0 if there was none} */
    long longest(long now) {
        long passed = now - began;
        return passed >= 2 * MINUTE ? 0 : passed >= MINUTE ? longest : Math.max(longest, longestBefore);
    }

    /** {@return how many were not longer than each bound; the last number is that of all} */
    long[] histogram() {
        long[] sums = counts == null ? new long[BOUNDS + 1] : counts.clone();
        for (int i = 1; i < sums.length; i++) {
            sums[i] += sums[i - 1];
        }
        return sums;
    }
}
