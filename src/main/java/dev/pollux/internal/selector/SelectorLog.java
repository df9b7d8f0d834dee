// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.selector;

import dev.pollux.internal.insight.LoopStatistics;
import dev.pollux.internal.insight.SpinReport;
import dev.pollux.internal.insight.WakeupStormReport;
import dev.pollux.internal.pollset.PollSet;
import java.lang.System.Logger.Level;
import sun.nio.ch.SelectionKeyImpl;

/**
 * Tells the administrator what is wrong with a selector, and the counters. What the program's logging, or the text of
 * its channels, does wrong must not break a selection.
 *
 * <p>Guarded by the selector's lock, except {@link #onLostThread}. Allocates when it is told something.
 */
final class SelectorLog {
    /** No more keys of one selector are logged. All are counted. */
    private static final int MOST_KEYS = 16;

    private final PollSet pollSet;
    private final LoopStatistics statistics;

    SelectorLog(PollSet pollSet) {
        this.pollSet = pollSet;
        this.statistics = pollSet.statistics();
    }

    /** A key makes the selector spin, so many times a second. */
    void onSpin(Suspect suspect, long rate) {
        try {
            SelectionKeyImpl key = suspect.key();
            Object attachment = key.attachment();
            SpinReport report = new SpinReport(suspect.kind(), statistics.number(), pollSet.name(),
                    Thread.currentThread(), key.channel().toString(), key.nioInterestOps(), key.nioReadyOps(),
                    attachment == null ? null : attachment.getClass().getName(), suspect.unread(), rate);
            statistics.onSpin(report);
            if (statistics.spins() < MOST_KEYS) {
                warn(report.toString(), null);
            } else if (statistics.spins() == MOST_KEYS) {
                warn(report + " Further keys of this selector are counted, and not logged.", null);
            }
        } catch (RuntimeException | Error e) {
            // see the comment of the class
            return;
        }
    }

    /** The selector is woken for nothing, so many times a second. */
    void onWakeupStorm(Throwable waker, long rate) {
        try {
            Thread thread = Thread.currentThread();
            WakeupStormReport report = new WakeupStormReport(statistics.number(), pollSet.name(), thread,
                    thread.isInterrupted(), rate, waker);
            statistics.onWakeupStorm(report);
            warn(report.toString(), waker);
        } catch (RuntimeException | Error e) {
            // see the comment of the class
            return;
        }
    }

    /** Any thread: the selector's thread has ended, and nobody selects. */
    void onLostThread(Thread thread) {
        try {
            warn("Nobody selects from selector " + statistics.number() + " (" + pollSet.name()
                    + ") any more: its thread \"" + thread.getName() + "\" has ended, and what is registered waits for"
                    + " ever. Find out why the thread ended, or close the selector.", null);
        } catch (RuntimeException | Error e) {
            // see the comment of the class
            return;
        }
    }

    private static void warn(String message, Throwable stack) {
        System.getLogger("dev.pollux").log(Level.WARNING, message, stack);
    }
}
