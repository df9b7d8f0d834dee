// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.tell;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Threshold;

/**
 * The events of what a loop does, but for {@link JfrStatistics}. All of ours are on by default: without a recording
 * they cost nothing, and none comes more often than once a second for a loop that is well.
 */
final class JfrEvents {
    static final String CATEGORY = "Pollux";

    static final String LOOP =
            "The number of the selector, Poller or loop of a StreamServer, in the order of opening";
    static final String KIND = "selector, Poller or StreamServer";
    static final String MECHANISM = "epoll, kqueue, /dev/poll, wepoll, poll or io_uring";

    private JfrEvents() {
    }

    @Category(CATEGORY)
    @StackTrace(false) // JFR's own would begin with ten calls of ours
    abstract static class LoopEvent extends Event {
        @Label("Loop")
        @Description(LOOP)
        long loop;

        @Label("Kind")
        @Description(KIND)
        String kind;

        @Label("Mechanism")
        @Description(MECHANISM)
        String mechanism;
    }

    /** An event that a caller has caused. */
    abstract static class CalledEvent extends LoopEvent {
        @Label("Caller")
        @Description("The stack, from the first call that is neither Pollux's nor of java.nio")
        String caller;
    }

    @Name("dev.pollux.SelectorOpened")
    @Label("Selector Opened")
    @Description("A selector, a Poller or a loop of a StreamServer was opened; the caller shows by whom")
    static final class Opened extends CalledEvent {
    }

    @Name("dev.pollux.SelectorClosed")
    @Label("Selector Closed")
    @Description("It was closed; the caller shows by whom")
    static final class Closed extends CalledEvent {
    }

    @Name("dev.pollux.Busy")
    @Label("Busy")
    @Description("A loop did not wait for as long as this; one selection means a slow handler, many mean much to do")
    @Threshold("100 ms")
    static final class Busy extends LoopEvent {
        @Label("Selections")
        @Description("Selections between the two waits")
        long busySelections;

        @Label("Ready Keys")
        @Description("Ready keys that these selections have found")
        long busyReady;
    }
}
