// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.tell;

import dev.pollux.internal.count.Loop;
import dev.pollux.internal.count.LoopObserver;
import dev.pollux.internal.verdict.Caller;
import jdk.jfr.Event;

/**
 * Commits the events of one loop. For the loop's own thread, but {@link Moment#OPENED} and {@link Moment#CLOSED}.
 * Allocates what is recorded; without a recording, one event when the loop is used first.
 */
final class JfrObserver implements LoopObserver {
    /** To ask whether its like is recorded. This initialises all the classes, so that a recording knows them. */
    private static final Event OPENING = new JfrEvents.Opened(), CLOSING = new JfrEvents.Closed(),
            STRETCH = new JfrEvents.Busy();

    static {
        JfrFinding.recordsRefusals(); // which makes the events of all that may be found
    }

    private final Loop loop;

    /** Null before the first wait has ended. It is begun again until it is recorded: then its duration would stay. */
    private JfrEvents.Busy stretch;

    /** Null before the first report that is recorded: a selector that is never used stays small. */
    private JfrStatistics statistics;

    JfrObserver(Loop loop) {
        this.loop = loop;
    }

    /** {@return an observer} Of a type for which the verifier does not load this class with the caller. */
    static LoopObserver made(Loop loop) {
        return new JfrObserver(loop);
    }

    @Override
    public void on(Moment moment, long selections, long ready) {
        switch (moment) {
            case OPENED -> {
                if (OPENING.isEnabled()) {
                    commitWithCaller(new JfrEvents.Opened());
                }
            }
            case CLOSED -> {
                report();
                if (CLOSING.isEnabled()) {
                    commitWithCaller(new JfrEvents.Closed());
                }
            }
            case RESUMED -> {
                stretch = stretch == null ? new JfrEvents.Busy() : stretch;
                stretch.begin();
            }
            case PAUSING -> {
                if (stretch != null) {
                    stretch.end();
                }
            }
            case BUSY -> onBusy(selections, ready);
            case REPORT_DUE -> report();
        }
    }

    private void commitWithCaller(JfrEvents.CalledEvent event) {
        event.caller = Caller.stack();
        commit(event);
    }

    private void onBusy(long selections, long ready) {
        if (STRETCH.isEnabled() && stretch != null && stretch.shouldCommit()) {
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

    private void report() {
        if (JfrStatistics.isRecorded()) {
            if (statistics == null) {
                statistics = new JfrStatistics(loop);
            }
            statistics.commit();
        }
    }

    @Override
    public boolean recordsRefusals() {
        return JfrFinding.recordsRefusals();
    }
}
