// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.tell;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Threshold;
import jdk.jfr.Timespan;

/**
 * The events in a recording of JFR, but for {@link JfrStatistics}. All are on by default: without a recording they cost
 * nothing, and none comes more often than once a second for a loop that is well.
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
    @StackTrace(false) // JFR's own would begin with ten calls of ours, or is that of the watch thread
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

    /** What was found of a loop, by whichever thread. */
    abstract static class Finding extends LoopEvent {
        @Label("Loop's Thread")
        @Description("The thread of the loop when this was found; none if it has ended")
        Thread loopThread;
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

    @Name("dev.pollux.Spin")
    @Label("Spin")
    @Description("A key makes its selector spin")
    static final class Spin extends Finding {
        @Label("Cause")
        String cause;

        @Label("Advice")
        String advice;

        @Label("Channel")
        String channel;

        @Label("Interest")
        String interestOps;

        @Label("Ready")
        String readyOps;

        @Label("Attachment")
        @Description("The class of the key's attachment")
        String attachment;

        @Label("Unread")
        @Description("Bytes that have arrived and were not read")
        @DataAmount
        long unreadBytes;

        @Label("Selections per Second")
        long selectionsPerSecond;
    }

    @Name("dev.pollux.WakeupStorm")
    @Label("Wakeup Storm")
    @Description("A selector is woken again and again, with nothing to do")
    static final class WakeupStorm extends Finding {
        @Label("Wakeups per Second")
        long wakeupsPerSecond;

        @Label("Interrupted")
        @Description("Whether it is the thread's interrupt status that ends each selection")
        boolean interrupted;

        @Label("Waker")
        @Description("The thread that one of the wakeups came from, and its stack")
        String waker;
    }

    @Name("dev.pollux.Blocked")
    @Label("Blocked")
    @Description("A loop does not return to its wait, though there are events; told while that lasts")
    static final class Blocked extends Finding {
        @Label("Blocked for")
        @Description("How long the loop has not returned to its wait, so far")
        @Timespan(Timespan.NANOSECONDS)
        long blockedNanos;

        @Label("Own Time")
        @Description("How much of that neither the thread nor one that it waits for had no processor")
        @Timespan(Timespan.NANOSECONDS)
        long ownNanos;

        @Label("Blocked Thread")
        Thread blockedThread;

        @Label("Stack")
        @Description("What the thread does, and the owner of the lock that it waits for")
        String stack;
    }

    @Name("dev.pollux.LostThread")
    @Label("Lost Thread")
    @Description("A loop's thread has ended or left, something waits for it, and none has taken its place")
    static final class LostThread extends Finding {
        @Label("Lost Thread")
        @Description("The name of the thread")
        String lostThread;

        @Label("Reason")
        @Description("What the thread has done")
        String reason;
    }

    @Name("dev.pollux.RefusedRegistration")
    @Label("Refused Registration")
    @Description("The mechanism has refused a channel; poll(2) watches it meanwhile, or the next selection throws")
    static final class Refused extends Finding {
        @Label("Reason")
        @Description("The system call, the channel, its descriptor, and the error")
        String reason;
    }
}
