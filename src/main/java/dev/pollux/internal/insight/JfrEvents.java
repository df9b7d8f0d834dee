// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.insight;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Percentage;
import jdk.jfr.StackTrace;
import jdk.jfr.Threshold;
import jdk.jfr.Timespan;

/**
 * The events in a recording of JFR. {@code docs/insight.md} tells what to do with them. All are on by default: without
 * a recording they cost nothing, and none comes more often than once a second for a loop that is well. A number has the
 * name that it has in {@link LoopTable}; JFR shows times and amounts with their units.
 */
final class JfrEvents {
    private static final String CATEGORY = "Pollux";

    private JfrEvents() {
    }

    /** What events of one loop have in common. */
    @Category(CATEGORY)
    abstract static class LoopEvent extends Event {
        @Label("Loop")
        @Description("The number of the selector, Poller or loop of an InterruptServer, in the order of opening")
        long loop;

        @Label("Kind")
        @Description("selector, Poller or InterruptServer")
        String kind;

        @Label("Mechanism")
        @Description("epoll, kqueue, /dev/poll, wepoll, poll or io_uring")
        String mechanism;

        final void tellOf(Loop of) {
            loop = of.statistics().number();
            kind = of.kind();
            mechanism = of.mechanism();
        }
    }

    /** An event that somebody outside has caused. JFR's own stack would begin with ten calls of ours. */
    @StackTrace(false)
    abstract static class CalledEvent extends LoopEvent {
        @Label("Caller")
        @Description("The stack, from the first call that is neither Pollux's nor of java.nio")
        String caller;
    }

    @Name("dev.pollux.SelectorOpened")
    @Label("Selector Opened")
    @Description("A selector, a Poller or a loop of an InterruptServer was opened; the caller shows by whom")
    @StackTrace(false)
    static final class Opened extends CalledEvent {
    }

    @Name("dev.pollux.SelectorClosed")
    @Label("Selector Closed")
    @Description("It was closed; the caller shows by whom")
    @StackTrace(false)
    static final class Closed extends CalledEvent {
    }

    @Name("dev.pollux.SelectorStatistics")
    @Label("Selector Statistics")
    @Description("What a loop has done since it was opened; at most once a second while it does something, and when it"
            + " is closed")
    @StackTrace(false)
    static final class Statistics extends LoopEvent {
        @Label("Loop's Thread")
        Thread thread;

        @Label("Utilization")
        @Description("The share of the time since the last report, or since it was opened, that it did not wait")
        @Percentage
        double utilization;

        @Label("Keys")
        @Description("Keys, members or connections now")
        int keys;

        @Label("Refused Keys")
        @Description("Keys that the mechanism has refused, and poll(2) watches now")
        int refusedKeys;

        @Label("Selections")
        long selections;

        @Label("Ready Keys")
        long ready;

        @Label("Blocked Waits")
        @Description("Waits that blocked or parked the thread, instead of polling")
        long blockedWaits;

        @Label("Time Blocked")
        @Timespan(Timespan.NANOSECONDS)
        long blockedNanos;

        @Label("Time Open")
        @Timespan(Timespan.NANOSECONDS)
        long elapsedNanos;

        @Label("Longest Busy Stretch")
        @Description("The longest time from one wait to the next that ended in the last minute, or in the one before")
        @Timespan(Timespan.NANOSECONDS)
        long longestBusyNanos;

        @Label("Wakeups")
        @Description("Wakeups that a selection has taken")
        long wakeups;

        @Label("Wakeup System Calls")
        @Description("Wakeups that made a system call, because a thread was blocked")
        long wakeupCalls;

        @Label("Changes")
        @Description("Registrations, changes and removals that the mechanism was told")
        long changes;

        @Label("Refusals")
        @Description("Registrations and changes that the mechanism has refused, each time")
        long refusals;

        @Label("One-Shot Armings")
        long oneShotArmings;

        @Label("Lazy Disarms")
        @Description("Times that interest was taken away and the mechanism was not told")
        long lazyDisarms;

        @Label("Out-of-Band Data")
        @Description("Bytes that were read and dropped")
        @DataAmount
        long outOfBandBytes;

        @Label("Spins")
        long spins;

        @Label("Wakeup Storms")
        long wakeupStorms;

        @Label("Deferred Writes")
        @Description("Writes that were deferred until the next wait")
        long deferredWrites;

        @Label("Deferred Data")
        @Description("Bytes of these")
        @DataAmount
        long deferredBytes;

        @Label("Batches")
        @Description("Calls that have sent what was deferred")
        long batches;

        @Label("Batches before a Wait")
        @Description("Of these, since the thread waited")
        long batchesOnWait;

        @Label("Batches before a Call")
        @Description("Of these, since another call was made on one of the channels")
        long batchesOnCall;

        @Label("Batches before a Read")
        @Description("Of these, since the thread read again although there was nothing")
        long batchesOnRead;

        @Label("Batches by Age")
        @Description("Of these, since the writes had been deferred for long enough")
        long batchesOnAge;

        @Label("Batches by Size")
        @Description("Of these, since there was no room for more")
        long batchesOnFull;

        @Label("Deferred Rests")
        @Description("Sends of a batch that their socket had no room for")
        long deferredRests;

        @Label("Late Errors")
        @Description("Errors of deferred writes, which the next operation of the channel throws")
        long lateErrors;

        @Label("Batch Pauses")
        @Description("Times that the batch switched itself off since it did not pay")
        long batchPauses;

        @Label("Received Ahead")
        @Description("Receives from a channel before anybody has read it")
        long receivedAhead;

        @Label("Data Received Ahead")
        @Description("Bytes that these have brought")
        @DataAmount
        long receivedAheadBytes;

        @Label("Receive Batches")
        @Description("Calls that have made these receives")
        long receiveBatches;

        @Label("Unread Ahead")
        @Description("Of these receives, those that were not read before the next wait")
        long unreadAhead;
    }

    @Name("dev.pollux.Busy")
    @Label("Busy")
    @Description("A loop did not wait for as long as this; one selection means a slow handler, many mean much to do")
    @Threshold("100 ms")
    @StackTrace(false)
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
    @StackTrace(false)
    static final class Spin extends LoopEvent {
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
    @StackTrace(false)
    static final class WakeupStorm extends LoopEvent {
        @Label("Wakeups per Second")
        long wakeupsPerSecond;

        @Label("Interrupted")
        @Description("Whether it is the thread's interrupt status that ends each selection")
        boolean interrupted;

        @Label("Waker")
        @Description("The thread that one of the wakeups came from, and its stack")
        String waker;
    }

    @Name("dev.pollux.RefusedRegistration")
    @Label("Refused Registration")
    @Description("The mechanism has refused a channel; poll(2) watches it meanwhile, or the next selection throws")
    @StackTrace(false)
    static final class Refused extends LoopEvent {
        @Label("Reason")
        @Description("The system call, the channel, its descriptor, and the error")
        String reason;
    }
}
