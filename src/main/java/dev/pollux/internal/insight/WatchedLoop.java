// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.insight;

import java.util.concurrent.TimeUnit;

/**
 * A loop as the {@link WatchThread} sees it: whether it selects, and if not, whether its thread does something else
 * while there are events, or has ended. For that thread alone.
 *
 * <p>A loop is blocked if it has neither waited nor selected for {@link Detectors#blockedNanos}, there are events or a
 * wakeup, and its thread is in the {@linkplain LoopCode code of the loop}. That is said in the log once it is so, again
 * after ten times as long, and so on; and once when the loop goes on.
 */
final class WatchedLoop {
    /** After this the thread counts as lost. */
    static final long LOST_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** A thread that does not select for that long may have left the loop in peace. */
    private static final long LEFT_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** One thread may prepare a selector, and another one serve it. More are a pool's. */
    private static final int MAX_THREADS = 2;

    /** A thread lacks a processor if it has none for this part of the time. */
    private static final int LACK = 4;

    /** The next warning of the same stretch comes after this many times as long. */
    private static final int NEXT = 10;

    private final long blockedNanos;

    /** The selections at the last look. */
    private long selections = -1;

    /** For how long the loop has neither selected nor waited. Pauses and lack of a processor count for little. */
    private long nanos;

    /** For how long its thread has had no processor, as of the last look that found it busy. */
    private long runDelay;

    /** When the next warning is due. */
    private long next;

    /** The keys when the thread was found ended; -1 before. */
    private int keysBefore;

    private boolean isLossReported;

    /** Whether it was looked where the thread is since it selected, and whether it was not in the loop's code. */
    private boolean isLocated;
    private boolean isElsewhere;

    WatchedLoop() {
        this(Detectors.blockedNanos());
    }

    WatchedLoop(long blockedNanos) {
        this.blockedNanos = blockedNanos;
    }

    /** Looks again after this time; at a loop {@link LeftAlone} there is nothing to see. */
    void look(Loop loop, boolean isLeftAlone, long passed) {
        LoopStatistics statistics = loop.statistics();
        long current = statistics.count(Counter.SELECTIONS);
        Thread thread = statistics.thread();
        if (thread == null || isLeftAlone || current != selections || statistics.isWaiting()) {
            onActivity(loop, current, passed);
            return;
        }
        nanos += passed - runDelaySince(statistics, passed);
        if (nanos >= LEFT_NANOS && !isLocated) {
            locate(thread, statistics);
        }
        if (!thread.isAlive()) {
            lookForLoss(loop, thread, "has ended");
        } else if (nanos >= LOST_NANOS && loop.isListening()
                && LoopCode.hasLeft(thread.getStackTrace(), statistics.firstWait())) {
            lookForLoss(loop, thread, "has left its loop, and is idle in its pool");
        } else if (blockedNanos != 0 && nanos >= next && loop.size() != 0 && hasEvents(loop)) {
            lookForBlock(loop, thread);
        }
    }

    private void onActivity(Loop loop, long current, long passed) {
        LoopStatistics statistics = loop.statistics();
        if (next > blockedNanos) {
            WarningLog.BLOCKED_LOOPS.warn("Now " + BlockedLoopReport.name(loop) + " goes on: it was blocked for "
                    + BlockedLoopReport.seconds(nanos + passed) + '.', null);
        }
        selections = current;
        nanos = statistics.busySelections() <= 1 ? Math.min(statistics.busyNanos(), passed) : 0;
        next = blockedNanos;
        keysBefore = -1;
        isLocated = false;
        isElsewhere = false;
        runDelay = statistics.isWaiting() ? 0 : statistics.runDelayNanos();
    }

    /** How much of the time that has {@code passed} the thread lacked a processor, if it is much and may decide. */
    private long runDelaySince(LoopStatistics statistics, long passed) {
        if (nanos >= blockedNanos) {
            return 0;
        }
        long before = runDelay;
        runDelay = statistics.runDelayNanos();
        long delay = Math.min(runDelay - before, passed);
        return delay * LACK < passed ? 0 : delay;
    }

    /** Whether it is busy, but not for long enough yet. */
    boolean mayBecomeBlocked() {
        return nanos != 0 && nanos < blockedNanos;
    }

    /** What the mechanism reports may be of a key that was cancelled, or has no interest any more. */
    private static boolean hasEvents(Loop loop) {
        return loop.isWoken() || loop.isReadable() && loop.isInterested();
    }

    private void lookForBlock(Loop loop, Thread thread) {
        StackTraceElement[] stack = thread.getStackTrace();
        if (LoopCode.isIn(stack, loop.statistics()) && !loop.statistics().isWaiting()) {
            while (next <= nanos) {
                next *= NEXT;
            }
            Throwable shown = Caller.shown(thread.getName(), stack);
            BlockedLoopReport report = new BlockedLoopReport(loop, thread, nanos, LockOwner.of(thread, shown), shown);
            loop.statistics().onBlocked(report);
            WarningLog.BLOCKED_LOOPS.warn(report.toString(), shown);
        }
    }

    /** One that lives on elsewhere, as a pool's does until it ends for lack of work, is not lost with its end. */
    private void locate(Thread thread, LoopStatistics statistics) {
        isLocated = true;
        StackTraceElement[] stack = thread.getStackTrace();
        isElsewhere = stack.length != 0 && !LoopCode.isIn(stack, statistics);
    }

    /** A selector that its program has left alone is lost to none: something must wait for it. */
    private void lookForLoss(Loop loop, Thread thread, String how) {
        int keys = loop.size();
        boolean isAwaited = keys > keysBefore && keysBefore >= 0 || keys != 0 && hasEvents(loop);
        keysBefore = keysBefore < 0 ? keys : keysBefore;
        if (!isLossReported && isAwaited && nanos >= LOST_NANOS && (!isElsewhere || loop.isListening())
                && loop.statistics().threads() <= MAX_THREADS) {
            isLossReported = true;
            WarningLog.LOST_THREADS.warn("No thread selects from " + BlockedLoopReport.name(loop) + ": the one that"
                    + " did, \"" + Printable.of(thread.getName()) + "\", " + how + ", and none has taken its place for"
                    + " 10 seconds. Until one does, what is registered is not served. Find out why (an executor's"
                    + " submit() keeps the exception of a task that fails), or close the selector if it is not needed.",
                    null);
        }
    }
}
