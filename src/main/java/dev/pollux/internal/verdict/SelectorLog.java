// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.verdict;

import dev.pollux.internal.count.Counter;
import dev.pollux.internal.count.Loop;
import dev.pollux.internal.count.LoopStatistics;
import dev.pollux.internal.count.Loops;
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

    /** A key makes the selector spin, {@code rate} times a second: false if that could not be handed over. */
    boolean onSpin(Suspect suspect, long rate) {
        return onSpin(suspect, rate, "");
    }

    private boolean onSpin(Suspect suspect, long rate, String before) {
        try {
            SelectionKeyImpl key = suspect.key();
            LoopStatistics statistics = selector.statistics();
            long count = statistics.count(Counter.SPINS) + 1;
            boolean isTaken = WatchThread.submit(new SpinFound(selector, suspect.kind(), Thread.currentThread(),
                    suspect.channel(), key == null ? 0 : key.nioInterestOps(), key == null ? 0 : key.nioReadyOps(),
                    key == null ? null : key.attachment(), suspect.unread(), rate, suspect.isUsed(), before,
                    count == Limits.MAX_KEYS_TOLD, count <= Limits.MAX_KEYS_TOLD));
            statistics.add(Counter.SPINS, isTaken ? 1 : 0);
            return isTaken;
        } catch (RuntimeException | Error e) {
            Loops.caught = e;
            return false;
        }
    }

    /** The selector is woken for nothing, {@code rate} times a second: false if that could not be handed over. */
    boolean onWakeupStorm(ShownStack waker, boolean isOwn, long rate) {
        return onWakeupStorm(waker, isOwn, rate, "");
    }

    private boolean onWakeupStorm(ShownStack waker, boolean isOwn, long rate, String before) {
        try {
            Thread thread = Thread.currentThread();
            boolean isInterrupted = thread.isInterrupted();
            LoopStatistics statistics = selector.statistics();
            WakeupStormReport report = new WakeupStormReport(statistics.number(), selector.mechanism(),
                    thread.getName(), isInterrupted, rate, isInterrupted ? null : waker, isOwn, before);
            boolean isTaken = WatchThread.submit(new Telling(selector, thread, report, true));
            Verdicts.found(selector, report);
            statistics.add(Counter.WAKEUP_STORMS, isTaken ? 1 : 0);
            return isTaken;
        } catch (RuntimeException | Error e) {
            Loops.caught = e;
            return false;
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
