// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.insight;

import java.io.PrintWriter;
import java.io.StringWriter;

/**
 * Commits the events of one loop. For the loop's own thread, but {@link #onOpened},
 * {@link #onClosed} and {@link #onBlocked}. Allocates
 * what is recorded; without a recording, one event when the loop is used first.
 */
final class JfrObserver implements LoopObserver {
    /** To ask whether its like is recorded. This initialises all the classes, so that a recording knows them. */
    private static final JfrEvents.LoopEvent OPENED = new JfrEvents.Opened(), CLOSED = new JfrEvents.Closed(),
            BUSY = new JfrEvents.Busy(), SPIN = new JfrEvents.Spin(),
            WAKEUP_STORM = new JfrEvents.WakeupStorm(),
            BLOCKED = new JfrEvents.Blocked(), REFUSED = new JfrEvents.Refused();

    private final Loop loop;

    /** Null before the first wait has ended. It is begun again until it is recorded: then its duration would stay. */
    private JfrEvents.Busy stretch;

    /** Null before the first report that is recorded: a selector that is never used stays small. */
    private JfrStatistics statistics;

    JfrObserver(Loop loop) {
        this.loop = loop;
    }

    @Override
    public void onOpened() {
        if (OPENED.isEnabled()) {
            commitWithCaller(new JfrEvents.Opened());
        }
    }

    @Override
    public void onClosed() {
        onReportDue();
        if (CLOSED.isEnabled()) {
            commitWithCaller(new JfrEvents.Closed());
        }
    }

    private void commitWithCaller(JfrEvents.CalledEvent event) {
        event.caller = Caller.stack();
        commit(event);
    }

    @Override
    public void onResume() {
        if (stretch == null) {
            stretch = new JfrEvents.Busy();
        }
        stretch.begin();
    }

    @Override
    public void onPause() {
        if (stretch != null) {
            stretch.end();
        }
    }

    @Override
    public void onBusy(long selections, long ready) {
        if (BUSY.isEnabled() && stretch != null && stretch.shouldCommit()) {
            stretch.busySelections = selections;
            stretch.busyReady = ready;
            commit(stretch);
            stretch = new JfrEvents.Busy();
        }
    }

    private void commit(JfrEvents.LoopEvent event) {
        if (event.shouldCommit()) {
            event.loop = loop.statistics().number();
            event.kind = loop.kind();
            event.mechanism = loop.mechanism();
            event.commit();
        }
    }

    @Override
    public void onReportDue() {
        if (JfrStatistics.isRecorded()) {
            if (statistics == null) {
                statistics = new JfrStatistics(loop);
            }
            statistics.commit();
        }
    }

    @Override
    public boolean recordsRefusals() {
        return REFUSED.isEnabled();
    }

    @Override
    public void onRefused(String reason) {
        JfrEvents.Refused event = new JfrEvents.Refused();
        event.reason = reason;
        commit(event);
    }

    @Override
    public void onSpin(SpinReport report) {
        if (!SPIN.isEnabled()) {
            return;
        }
        JfrEvents.Spin event = new JfrEvents.Spin();
        event.cause = report.cause();
        event.advice = report.kind().advice();
        event.channel = report.channel();
        event.interestOps = SpinReport.ops(report.interest());
        event.readyOps = SpinReport.ops(report.ready());
        event.attachment = report.attachment();
        event.unreadBytes = report.unread();
        event.selectionsPerSecond = report.rate();
        commit(event);
    }

    @Override
    public void onWakeupStorm(WakeupStormReport report) {
        if (!WAKEUP_STORM.isEnabled()) {
            return;
        }
        JfrEvents.WakeupStorm event = new JfrEvents.WakeupStorm();
        event.wakeupsPerSecond = report.rate();
        event.interrupted = report.interrupted();
        event.waker = report.waker() == null ? null : text(report.waker());
        commit(event);
    }

    @Override
    public void onBlocked(BlockedLoopReport report) {
        if (!BLOCKED.isEnabled()) {
            return;
        }
        JfrEvents.Blocked event = new JfrEvents.Blocked();
        event.blockedNanos = report.nanos();
        event.blockedThread = report.thread();
        event.stack = text(report.stack());
        commit(event);
    }

    private static String text(Throwable stack) {
        StringWriter text = new StringWriter();
        stack.printStackTrace(new PrintWriter(text));
        return text.toString();
    }
}
