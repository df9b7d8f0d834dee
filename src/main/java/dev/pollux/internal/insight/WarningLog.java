// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.insight;

import java.lang.System.Logger.Level;
import java.util.concurrent.TimeUnit;

/**
 * Where warnings of one kind go, of all loops of the virtual machine. A program that opens and closes faulty selectors
 * all the time must not fill the disk: {@value #BURST} warnings are logged as they come, then one every six seconds,
 * with the number of those that were left out before it.
 *
 * <p>What the program's logging does wrong must not break a selection. Safe for use by many threads. Allocates when it
 * is told something.
 */
public final class WarningLog {
    public static final WarningLog SPINS = new WarningLog();
    public static final WarningLog WAKEUP_STORMS = new WarningLog();
    static final WarningLog BLOCKED_LOOPS = new WarningLog();
    static final WarningLog LOST_THREADS = new WarningLog();
    public static final WarningLog REFUSALS = new WarningLog();

    static final int BURST = 100;
    static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(6);

    /** How many may be logged now. */
    int left = BURST;

    /** When that was filled up last. */
    long filled = System.nanoTime();

    /** How many were left out since the last one that was logged. */
    long omitted;

    private WarningLog() {
    }

    /** Logs this, with the stack if that is not null, unless there were too many lately. */
    public void warn(String message, Throwable stack) {
        long before = admit(System.nanoTime());
        if (before < 0) {
            return;
        }
        try {
            System.getLogger("dev.pollux").log(Level.WARNING, before == 0 ? message : message + " (" + before
                    + " warnings of this kind were left out before this one.)", stack);
        } catch (RuntimeException | Error e) {
            return; // see the comment of the class
        }
    }

    /** {@return how many were left out since the last one; negative if this is to be left out, too} */
    synchronized long admit(long now) {
        long intervals = Math.max(0, Math.min(BURST - left, (now - filled) / INTERVAL_NANOS));
        left += (int) intervals;
        filled = left == BURST ? now : filled + intervals * INTERVAL_NANOS;
        if (left == 0) {
            omitted++;
            return -1;
        }
        left--;
        long before = omitted;
        omitted = 0;
        return before;
    }
}
