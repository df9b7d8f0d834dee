// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.insight;

import java.io.PrintWriter;
import java.io.StringWriter;

/**
 * Commits the events of one loop. For the loop's own thread, but {@link #onOpened} and {@link #onClosed}. Allocates
 * what is recorded; without a recording, one event when the loop is used first.
 */
final class JfrObserver implements LoopObserver {
    /**
     * One event of each class, to ask whether its like is recorded. This initialises all the classes, so that a
     * recording knows them before there is one.
     */
    private static final JfrEvents.LoopEvent OPENED = new JfrEvents.Opened(), CLOSED = new JfrEvents.Closed(),
            STATISTICS = new JfrEvents.Statistics(), BUSY = new JfrEvents.Busy(), SPIN = new JfrEvents.Spin(),
            WAKEUP_STORM = new JfrEvents.WakeupStorm(), REFUSED = new JfrEvents.Refused();

    private final Loop loop;

    /**
     * The stretch that began when the last wait ended; null before the first one. It is begun again until it is
     * recorded: then it has a duration, which would stay.
     */
    private JfrEvents.Busy stretch;

    private long openBefore;
    private long blockedBefore;

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
            event.tellOf(loop);
            event.commit();
        }
    }

    @Override
    public void onReportDue() {
        if (STATISTICS.isEnabled()) {
            commitStatistics(new JfrEvents.Statistics(), loop.statistics());
        }
    }

    private void commitStatistics(JfrEvents.Statistics event, LoopStatistics counted) {
        event.thread = counted.thread();
        event.keys = loop.size();
        event.refusedKeys = loop.refused();
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
        tellOfBatch(event, counted.batch());
        commit(event);
    }

    private static void tellOfBatch(JfrEvents.Statistics event, BatchCounts counted) {
        event.deferredWrites = counted.deferredWrites();
        event.deferredBytes = counted.deferredBytes();
        event.batches = counted.batches();
        event.batchesOnWait = counted.batchesOnWait();
        event.batchesOnCall = counted.batchesOnCall();
        event.batchesOnRead = counted.batchesOnRead();
        event.batchesOnAge = counted.batchesOnAge();
        event.batchesOnFull = counted.batchesOnFull();
        event.deferredRests = counted.deferredRests();
        event.lateErrors = counted.lateErrors();
        event.batchPauses = counted.batchPauses();
        event.receivedAhead = counted.receivedAhead();
        event.receivedAheadBytes = counted.receivedAheadBytes();
        event.receiveBatches = counted.receiveBatches();
        event.unreadAhead = counted.unreadAhead();
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
        if (!WAKEUP_STORM.isEnabled()) {
            return;
        }
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
