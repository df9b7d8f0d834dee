// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.tell;

import static dev.pollux.internal.tell.JfrStatistics.field;

import dev.pollux.internal.count.Loop;
import dev.pollux.internal.count.LoopObserver;
import dev.pollux.internal.verdict.Caller;
import jdk.jfr.Event;
import jdk.jfr.EventFactory;

/**
 * Commits the events of what one loop does. All of ours are on by default: without a recording they cost nothing, and
 * none comes more often than once a second for a loop that is well. For the loop's own thread, but {@link
 * Moment#OPENED} and {@link Moment#CLOSED}. Allocates what is recorded; without a recording, one event when the loop
 * is used first.
 */
final class JfrObserver implements LoopObserver {
    private static final EventFactory OPENED = withCaller("SelectorOpened", "Selector Opened",
            "A selector, a Poller or a loop of a StreamServer was opened; the caller shows by whom");

    private static final EventFactory CLOSED = withCaller("SelectorClosed", "Selector Closed",
            "It was closed; the caller shows by whom");

    private static final EventFactory BUSY = JfrStatistics.factory("Busy", "Busy",
            "A loop did not wait for as long as this; one selection means a slow handler, many mean much to do",
            "100 ms", JfrStatistics.ofLoop(
                    field(long.class, "busySelections", "Selections", "Selections between the two waits"),
                    field(long.class, "busyReady", "Ready Keys", "Ready keys that these selections have found")));

    static {
        JfrFinding.recordsRefusals(); // which makes the events of all that may be found, so that a recording knows them
    }

    private final Loop loop;

    /** Null before the first wait has ended. It is begun again until it is recorded: then its duration would stay. */
    private Event stretch;

    /** Null before the first report that is recorded: a selector that is never used stays small. */
    private JfrStatistics statistics;

    JfrObserver(Loop loop) {
        this.loop = loop;
    }

    /** {@return an observer} Of a type for which the verifier does not load this class with the caller. */
    static LoopObserver made(Loop loop) {
        return new JfrObserver(loop);
    }

    private static EventFactory withCaller(String name, String label, String description) {
        return JfrStatistics.factory(name, label, description, JfrStatistics.NO_THRESHOLD, JfrStatistics.ofLoop(
                field(String.class, "caller", "Caller",
                        "The stack, from the first call that is neither Pollux's nor of java.nio")));
    }

    @Override
    public void on(Moment moment, long selections, long ready) {
        switch (moment) {
            case OPENED -> commitWithCaller(OPENED);
            case CLOSED -> {
                report();
                commitWithCaller(CLOSED);
            }
            case RESUMED -> {
                stretch = stretch == null ? BUSY.newEvent() : stretch;
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

    private void commitWithCaller(EventFactory factory) {
        if (factory.getEventType().isEnabled()) {
            Event event = factory.newEvent();
            event.set(JfrStatistics.setLoop(event, loop), Caller.stack());
            event.commit();
        }
    }

    private void onBusy(long selections, long ready) {
        if (stretch != null && stretch.shouldCommit()) {
            int field = JfrStatistics.setLoop(stretch, loop);
            stretch.set(field++, selections);
            stretch.set(field, ready);
            stretch.commit();
            stretch = BUSY.newEvent();
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
