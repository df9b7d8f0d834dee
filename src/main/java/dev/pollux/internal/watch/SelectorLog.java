// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.watch;

import dev.pollux.internal.insight.Counter;
import dev.pollux.internal.insight.LoopStatistics;
import dev.pollux.internal.insight.Printable;
import dev.pollux.internal.insight.SpinReport;
import dev.pollux.internal.insight.WakeupStormReport;
import dev.pollux.internal.insight.WarningLog;
import dev.pollux.internal.insight.WatchThread;
import dev.pollux.internal.jdk.SourceNames;
import dev.pollux.internal.pollset.PollSet;
import sun.nio.ch.SelectionKeyImpl;

/**
 * Tells the administrator what is wrong with a selector, and the counters. What the text of the program's channels does
 * wrong must not break a selection.
 *
 * <p>Guarded by the selector's lock. Allocates when it is told something.
 */
final class SelectorLog {
    /** No more keys of one selector are logged. All are counted. */
    private static final int MAX_KEYS = 16;

    private final PollSet pollSet;
    private final LoopStatistics statistics;

    SelectorLog(PollSet pollSet) {
        this.pollSet = pollSet;
        this.statistics = pollSet.statistics();
    }

    /** A key makes the selector spin, {@code rate} times a second. */
    void onSpin(Suspect suspect, long rate) {
        onSpin(suspect, rate, "");
    }

    private void onSpin(Suspect suspect, long rate, String before) {
        try {
            SelectionKeyImpl key = suspect.key();
            Object attachment = key.attachment();
            SpinReport report = new SpinReport(suspect.kind(), statistics.number(), pollSet.name(),
                    Thread.currentThread(), Printable.of(SourceNames.of(key.channel())), key.nioInterestOps(),
                    key.nioReadyOps(), attachment == null ? null : attachment.getClass().getName(), suspect.unread(),
                    rate, suspect.isUsed());
            statistics.onSpin(report);
            long count = statistics.count(Counter.SPINS);
            String after = count == MAX_KEYS ? " Further keys of this selector are counted, and not logged." : "";
            if (count <= MAX_KEYS && !WatchThread.submit(() -> tellWithHandler(report, attachment, before, after))) {
                WarningLog.SPINS.warn(before + report + after, null);
            }
        } catch (RuntimeException | Error e) {
            return; // see the comment of the class
        }
    }

    /** Not by the selecting thread: to find the handler takes some milliseconds. */
    private static void tellWithHandler(SpinReport report, Object attachment, String before, String after) {
        SpinReport told = report;
        Throwable stack = null;
        try {
            told = attachment == null ? report : report.withAttachment(HandlerFinder.describe(attachment));
            stack = HandlerFinder.stack(report.thread());
        } catch (RuntimeException | Error e) {
            // then it is told without them
        }
        WarningLog.SPINS.warn(before + told + after, stack);
    }

    /** The selector is woken for nothing, {@code rate} times a second. */
    void onWakeupStorm(Throwable waker, boolean isOwn, long rate) {
        onWakeupStorm(waker, isOwn, rate, "");
    }

    private void onWakeupStorm(Throwable waker, boolean isOwn, long rate, String before) {
        try {
            Thread thread = Thread.currentThread();
            boolean isInterrupted = thread.isInterrupted();
            Throwable source = isInterrupted ? null : waker;
            WakeupStormReport report = new WakeupStormReport(statistics.number(), pollSet.name(), thread,
                    isInterrupted, rate, source, isOwn);
            statistics.onWakeupStorm(report);
            WarningLog.WAKEUP_STORMS.warn(before + report, source);
        } catch (RuntimeException | Error e) {
            return; // see the comment of the class
        }
    }

    /** Selectors are replaced again and again, for a suspect, or for wakeups if that is null. */
    void onRebuilds(Suspect suspect, long selections, long rate) {
        String before = "Selectors are opened and closed again and again, " + Rebuilds.MIN_REBUILDS + " of them within"
                + " a second, the last one after " + selections + " selections: a new one has the same fault. ";
        if (suspect == null) {
            onWakeupStorm(null, false, rate, before);
        } else {
            onSpin(suspect, rate, before);
        }
    }
}
