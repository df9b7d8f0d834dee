// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.verdict;

import dev.pollux.internal.count.Counter;
import dev.pollux.internal.count.Loop;
import dev.pollux.internal.count.LoopStatistics;
import dev.pollux.internal.count.Loops;
import dev.pollux.internal.count.Printable;
import dev.pollux.internal.count.Unexpected;
import dev.pollux.internal.jdk.SourceNames;
import sun.nio.ch.SelectionKeyImpl;

/**
 * Makes reports of what the selecting thread finds, and hands them over. The {@link WatchThread} tells them: what
 * logging or a listener does must not keep a selection.
 *
 * <p>Guarded by the selector's lock. Allocates when it is told something.
 */
final class SelectorLog {
    private final Loop selector;

    SelectorLog(Loop selector) {
        this.selector = selector;
    }

    /** A key makes the selector spin, {@code rate} times a second. */
    void onSpin(Suspect suspect, long rate) {
        onSpin(suspect, rate, "");
    }

    private void onSpin(Suspect suspect, long rate, String before) {
        try {
            SelectionKeyImpl key = suspect.key();
            Object attachment = key == null ? null : key.attachment();
            LoopStatistics statistics = selector.statistics();
            statistics.add(Counter.SPINS, 1);
            long count = statistics.count(Counter.SPINS);
            Thread thread = Thread.currentThread();
            SpinReport report = new SpinReport(suspect.kind(), statistics.number(), selector.mechanism(),
                    thread.getName(), Printable.of(SourceNames.of(suspect.channel())),
                    key == null ? 0 : key.nioInterestOps(), key == null ? 0 : key.nioReadyOps(),
                    attachment == null ? null : attachment.getClass().getName(), suspect.unread(), rate,
                    suspect.isUsed(), null, before,
                    count == Limits.MAX_KEYS_TOLD ? " Further keys of this selector are counted, and not logged." : "");
            Verdicts.found(selector, report);
            boolean isLogged = count <= Limits.MAX_KEYS_TOLD;
            WatchThread.submit(() ->
                    Verdicts.tell(selector, thread, withHandler(report, attachment, thread), isLogged));
        } catch (RuntimeException | Error e) {
            Loops.caught = e;
        }
    }

    /** Not by the selecting thread: to find the handler takes some milliseconds. */
    private static SpinReport withHandler(SpinReport report, Object attachment, Thread thread) {
        try {
            return report.withHandler(attachment == null ? null : HandlerFinder.describe(attachment),
                    HandlerFinder.stack(thread));
        } catch (RuntimeException | Error e) {
            Unexpected.caught("the search for a key's handler", e);
            return report; // then it is told without
        }
    }

    /** The selector is woken for nothing, {@code rate} times a second. */
    void onWakeupStorm(ShownStack waker, boolean isOwn, long rate) {
        onWakeupStorm(waker, isOwn, rate, "");
    }

    private void onWakeupStorm(ShownStack waker, boolean isOwn, long rate, String before) {
        try {
            Thread thread = Thread.currentThread();
            boolean isInterrupted = thread.isInterrupted();
            LoopStatistics statistics = selector.statistics();
            statistics.add(Counter.WAKEUP_STORMS, 1);
            WakeupStormReport report = new WakeupStormReport(statistics.number(), selector.mechanism(),
                    thread.getName(), isInterrupted, rate, isInterrupted ? null : waker, isOwn, before);
            Verdicts.found(selector, report);
            WatchThread.submit(() -> Verdicts.tell(selector, thread, report, true));
        } catch (RuntimeException | Error e) {
            Loops.caught = e;
        }
    }

    /** Selectors are replaced again and again, for a suspect, or for wakeups if that is null. */
    void onRebuilds(Suspect suspect, long selections, long rate) {
        String before = "Selectors are opened and closed again and again, " + Limits.MIN_REBUILDS + " of them within"
                + " a second, the last one after " + selections + " selections: a new one has the same fault. ";
        if (suspect == null) {
            onWakeupStorm(null, false, rate, before);
        } else {
            onSpin(suspect, rate, before);
        }
    }
}
