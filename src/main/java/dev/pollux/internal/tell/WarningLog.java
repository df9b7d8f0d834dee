// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.tell;

import dev.pollux.internal.count.Unexpected;
import dev.pollux.internal.verdict.Verdict;
import java.lang.System.Logger.Level;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;

/**
 * Where warnings of one kind go, of all loops of the virtual machine. A program that opens and closes faulty selectors
 * all the time must not fill the disk: {@value #BURST} warnings are logged as they come, then one every six seconds,
 * with the number of those that were left out before it. What can't be logged now, since logging is not {@linkplain
 * Preparation ready}, is logged later. Safe for use by many threads; the loop's own threads leave it to the watch
 * thread. Allocates when it is told something.
 */
final class WarningLog {
    private static final WarningLog[] OF_KINDS = new WarningLog[Verdict.Kind.values().length];

    static final String NAME = "dev.pollux";

    static final int BURST = 100;
    static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(6);

    /** No more warnings wait to be logged. */
    private static final int MAX_PENDING = 64;

    static {
        for (int i = 0; i < OF_KINDS.length; i++) {
            OF_KINDS[i] = new WarningLog();
        }
    }

    private record Warning(WarningLog kind, String message, Throwable stack) {
    }

    /** Guarded by itself. */
    private static final Deque<Warning> PENDING = new ArrayDeque<>();

    /** How many may be logged now, and when that was filled up last. */
    int left = BURST;
    long filled = System.nanoTime();

    /** How many were left out since the last one that was logged. */
    long omitted;

    private WarningLog() {
    }

    static WarningLog of(Verdict.Kind kind) {
        return OF_KINDS[kind.ordinal()];
    }

    /** Logs something that is no finding. */
    static void log(String message, Throwable cause) {
        of(Verdict.Kind.REFUSES).warn(message, cause);
    }

    /** Logs this, with the stack if that is not null, unless there were too many lately. */
    void warn(String message, Throwable stack) {
        long before = admit(System.nanoTime());
        if (before >= 0) {
            String shown = before == 0 ? message
                    : message + " (" + before + " warnings of this kind were left out before this one.)";
            synchronized (PENDING) {
                if (PENDING.size() == MAX_PENDING) {
                    PENDING.removeFirst().kind.onOmitted();
                }
                PENDING.addLast(new Warning(this, shown, stack));
            }
            sayPending();
        }
    }

    private synchronized void onOmitted() {
        omitted++;
    }

    /** Logs what could not be logged before: whether all is. No lock is held while the program's logging runs. */
    static boolean sayPending() {
        while (isPending()) {
            if (!Preparation.isReady()) {
                return false;
            }
            Warning next = take();
            try {
                if (next != null) {
                    System.getLogger(NAME).log(Level.WARNING, next.message, next.stack);
                    Preparation.onLogged();
                }
            } catch (OutOfMemoryError | StackOverflowError e) {
                giveBack(next);
                return false;
            } catch (RuntimeException | Error e) {
                Unexpected.caught("the program's logging", e);
            }
        }
        return true;
    }

    private static boolean isPending() {
        synchronized (PENDING) {
            return !PENDING.isEmpty();
        }
    }

    private static Warning take() {
        synchronized (PENDING) {
            return PENDING.pollFirst();
        }
    }

    private static void giveBack(Warning warning) {
        synchronized (PENDING) {
            PENDING.addFirst(warning);
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
