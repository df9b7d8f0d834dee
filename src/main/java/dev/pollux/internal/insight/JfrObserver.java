// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.insight;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.ref.WeakReference;
import java.util.List;

/**
 * Commits the events of one loop. For the loop's own thread, but {@link #onOpened} and {@link #onClosed}. Allocates
 * what is recorded, and nothing without a recording.
 */
final class JfrObserver implements LoopObserver {
    private final WeakReference<Loop> loop;

    /**
     * The stretch that began when the last wait ended. It is begun again until it is recorded: then it has a duration,
     * which would stay.
     */
    private JfrEvents.Busy stretch = new JfrEvents.Busy();

    private long openBefore;
    private long blockedBefore;

    /** Initialises all classes of events, so that a recording knows them before there is one. */
    JfrObserver(Loop loop) {
        this.loop = new WeakReference<>(loop);
        for (Class<?> event : List.of(JfrEvents.Opened.class, JfrEvents.Closed.class, JfrEvents.Statistics.class,
                JfrEvents.Busy.class, JfrEvents.Spin.class, JfrEvents.WakeupStorm.class, JfrEvents.Refused.class)) {
            try {
                Class.forName(event.getName(), true, event.getClassLoader());
            } catch (ClassNotFoundException e) {
                throw new AssertionError(e); // it is there
            }
        }
    }

    @Override
    public void onOpened() {
        commitWithCaller(new JfrEvents.Opened());
    }

    @Override
    public void onClosed() {
        onReportDue();
        commitWithCaller(new JfrEvents.Closed());
    }

    private void commitWithCaller(JfrEvents.CalledEvent event) {
        if (event.shouldCommit()) {
            event.caller = Caller.stack();
            commit(event);
        }
    }

    @Override
    public void onResume() {
        stretch.begin();
    }

    @Override
    public void onPause() {
        stretch.end();
    }

    @Override
    public void onBusy(long selections, long ready) {
        if (stretch.shouldCommit()) {
            stretch.busySelections = selections;
            stretch.busyReady = ready;
            commit(stretch);
            stretch = new JfrEvents.Busy();
        }
    }

    private void commit(JfrEvents.LoopEvent event) {
        Loop of = loop.get();
        if (of != null && event.shouldCommit()) {
            event.tellOf(of);
            event.commit();
        }
    }

    @Override
    public void onReportDue() {
        JfrEvents.Statistics event = new JfrEvents.Statistics();
        Loop of = loop.get();
        if (of == null || !event.shouldCommit()) {
            return;
        }
        LoopStatistics counted = of.statistics();
        event.thread = counted.thread();
        event.keys = of.size();
        event.refusedKeys = of.refused();
        event.selections = counted.selections();
        event.ready = counted.ready();
        event.blockedWaits = counted.blockedWaits();
        event.blockedNanos = counted.blockedNanos();
        event.elapsedNanos = counted.elapsedNanos();
        event.utilization = event.thread == null ? 0 : utilizationSince(event.elapsedNanos, event.blockedNanos);
        event.longestBusyNanos = counted.longestBusyNanos();
        event.wakeups = counted.wakeups();
        event.wakeupCalls = counted.wakeupCalls();
        event.changes = counted.changes();
        event.refusals = counted.refusals();
        event.oneShotArmings = counted.oneShotArmings();
        event.lazyDisarms = counted.lazyDisarms();
        event.outOfBandBytes = counted.outOfBandBytes();
        event.spins = counted.spins();
        event.wakeupStorms = counted.wakeupStorms();
        commit(event);
    }

    private double utilizationSince(long open, long blocked) {
        long elapsed = open - openBefore;
        double idle = elapsed <= 0 ? 1 : (double) (blocked - blockedBefore) / elapsed;
        openBefore = open;
        blockedBefore = blocked;
        return Math.max(0, Math.min(1, 1 - idle));
    }

    @Override
    public boolean recordsRefusals() {
        return new JfrEvents.Refused().isEnabled();
    }

    @Override
    public void onRefused(String reason) {
        JfrEvents.Refused event = new JfrEvents.Refused();
        event.reason = reason;
        commit(event);
    }

    @Override
    public void onSpin(SpinReport report) {
        JfrEvents.Spin event = new JfrEvents.Spin();
        event.cause = report.kind().cause();
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
        JfrEvents.WakeupStorm event = new JfrEvents.WakeupStorm();
        event.wakeupsPerSecond = report.rate();
        event.interrupted = report.interrupted();
        event.waker = report.waker() == null ? null : text(report.waker());
        commit(event);
    }

    private static String text(Throwable stack) {
        StringWriter text = new StringWriter();
        stack.printStackTrace(new PrintWriter(text));
        return text.toString();
    }
}
