// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.tell;

import dev.pollux.internal.count.Loop;
import dev.pollux.internal.count.LoopObserver;
import dev.pollux.internal.verdict.BlockedLoopReport;
import dev.pollux.internal.verdict.Caller;
import dev.pollux.internal.verdict.Evidence;
import dev.pollux.internal.verdict.LostThreadReport;
import dev.pollux.internal.verdict.SpinReport;
import dev.pollux.internal.verdict.WakeupStormReport;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import jdk.jfr.Event;
import jdk.jfr.FlightRecorder;

/**
 * Commits the events of one loop. For the loop's own thread, but {@link #onOpened}, {@link #onClosed} and what the
 * watch has found. Allocates what is recorded; without a recording, one event when the loop is used first.
 */
final class JfrObserver implements LoopObserver {
    /** To ask whether its like is recorded. This initialises all the classes, so that a recording knows them. */
    private static final JfrEvents.LoopEvent OPENED = new JfrEvents.Opened(), CLOSED = new JfrEvents.Closed(),
            BUSY = new JfrEvents.Busy(), REFUSED = new JfrEvents.Refused();

    static {
        for (Class<? extends Event> each : List.of(JfrEvents.Spin.class, JfrEvents.WakeupStorm.class,
                JfrEvents.Blocked.class, JfrEvents.LostThread.class)) {
            FlightRecorder.register(each);
        }
    }

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
        commit(event, loop);
    }

    private static void commit(JfrEvents.LoopEvent event, Loop loop) {
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

    /** Records what was found of a loop. Any thread; that of the loop is named, if it has not ended. */
    static void commit(Loop loop, Thread thread, Evidence evidence) {
        JfrEvents.Finding event = evidence instanceof SpinReport report ? spin(report)
                : evidence instanceof WakeupStormReport report ? storm(report)
                : evidence instanceof BlockedLoopReport report ? blocked(report, thread)
                : evidence instanceof LostThreadReport report ? lost(report) : refused(evidence);
        if (event.shouldCommit()) {
            event.loopThread = thread;
            commit(event, loop);
        }
    }

    private static JfrEvents.Finding refused(Evidence report) {
        JfrEvents.Refused event = new JfrEvents.Refused();
        event.reason = report.toString();
        return event;
    }

    private static JfrEvents.Finding lost(LostThreadReport report) {
        JfrEvents.LostThread event = new JfrEvents.LostThread();
        event.lostThread = report.thread();
        event.reason = report.summary();
        return event;
    }

    private static JfrEvents.Finding spin(SpinReport report) {
        JfrEvents.Spin event = new JfrEvents.Spin();
        event.cause = report.cause();
        event.advice = report.why().advice();
        event.channel = report.channel();
        event.interestOps = SpinReport.ops(report.interest());
        event.readyOps = SpinReport.ops(report.ready());
        event.attachment = report.attachment();
        event.unreadBytes = report.unread();
        event.selectionsPerSecond = report.rate();
        return event;
    }

    private static JfrEvents.Finding storm(WakeupStormReport report) {
        JfrEvents.WakeupStorm event = new JfrEvents.WakeupStorm();
        event.wakeupsPerSecond = report.rate();
        event.interrupted = report.isInterrupted();
        event.waker = report.stack() == null ? null : text(report.stack());
        return event;
    }

    private static JfrEvents.Finding blocked(BlockedLoopReport report, Thread thread) {
        JfrEvents.Blocked event = new JfrEvents.Blocked();
        event.blockedNanos = report.nanos();
        event.ownNanos = report.own();
        event.blockedThread = thread;
        event.stack = text(report.stack());
        return event;
    }

    private static String text(Throwable stack) {
        StringWriter text = new StringWriter();
        stack.printStackTrace(new PrintWriter(text));
        return text.toString();
    }
}
