// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.verdict;

import dev.pollux.internal.count.Counter;
import dev.pollux.internal.count.LoopStatistics;

/**
 * How fast a loop's counters grow, as far as that tells whether what was found of it lasts. Guarded by {@link
 * Verdicts}.
 */
final class Rates {
    /** Times that are shorter say little. */
    private static final long MIN_NANOS = Limits.MANY_WAITS_NANOS;

    private long looked = System.nanoTime();
    private long passed;

    /** How many times of this length were looked at; -1 before the first look, which tells what to compare with. */
    private long windows = -1;

    /** The counters at the end of the last window. */
    private final long[] before = new long[Counter.ALL];

    /** Time since something was refused. */
    private long sinceRefusal = Limits.REFUSED_NANOS;

    /** Whether hardly a selection has blocked. */
    boolean mayBeSpinning = true;

    /** Whether it is woken again and again with next to nothing ready, and does nothing long. */
    boolean isStorm;

    long wakeupsPerSecond;

    /** By the clock alone: counters grow also while a look is late. */
    void look(LoopStatistics statistics) {
        long now = System.nanoTime();
        passed += now - looked;
        sinceRefusal += now - looked;
        looked = now;
        if (passed < MIN_NANOS && windows >= 0) {
            return;
        }
        long newSelections = growth(statistics, Counter.SELECTIONS);
        long newBlocked = growth(statistics, Counter.BLOCKED_WAITS);
        long newBlockedNanos = growth(statistics, Counter.BLOCKED_NANOS);
        long newWakeups = growth(statistics, Counter.WAKEUPS);
        long newReady = growth(statistics, Counter.READY);
        sinceRefusal = growth(statistics, Counter.REFUSALS) != 0 ? 0 : sinceRefusal;
        windows++;
        mayBeSpinning = windows == 0 || newSelections > 0 && newBlocked < newSelections / Limits.EXCEPTION
                && perSecond(newSelections) >= Limits.SPIN_RATE;
        wakeupsPerSecond = perSecond(newWakeups);
        isStorm = windows != 0 && wakeupsPerSecond >= Limits.STORM_RATE && newReady < newWakeups / Limits.EXCEPTION
                && Math.max(0, passed - newBlockedNanos) / newWakeups < Limits.USE_NANOS;
        passed = 0;
    }

    private long growth(LoopStatistics statistics, Counter what) {
        long now = statistics.count(what);
        long grown = now - before[what.ordinal()];
        before[what.ordinal()] = now;
        return grown;
    }

    private long perSecond(long count) {
        return (long) ((double) count * Limits.SECOND / Math.max(1, passed));
    }

    /** {@return the number of the first window that begins after now} */
    long nextWindow() {
        return windows + 2;
    }

    boolean isOver(long window) {
        return windows >= window;
    }

    boolean isRefused() {
        return sinceRefusal < Limits.REFUSED_NANOS;
    }
}
