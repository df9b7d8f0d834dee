// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.tell;

import static dev.pollux.internal.tell.JfrStatistics.bytes;
import static dev.pollux.internal.tell.JfrStatistics.field;
import static dev.pollux.internal.tell.JfrStatistics.time;

import dev.pollux.internal.count.Loop;
import dev.pollux.internal.verdict.BlockedLoopReport;
import dev.pollux.internal.verdict.Evidence;
import dev.pollux.internal.verdict.SpinReport;
import dev.pollux.internal.verdict.WakeupStormReport;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import jdk.jfr.Event;
import jdk.jfr.EventFactory;
import jdk.jfr.ValueDescriptor;

/**
 * The event of one kind of {@link Evidence}: a row for each field, beside those of every loop and its thread. {@link
 * #commit} has the values in the same order. For any thread. Allocates what is recorded.
 */
final class JfrFinding {
    private static final JfrFinding SPIN = new JfrFinding("Spin", "Spin", "A key makes its selector spin",
            field(String.class, "cause", "Cause", "Why the key is ready again and again"),
            field(String.class, "advice", "Advice", "What to do about it"),
            field(String.class, "channel", "Channel", "The key's channel, with its addresses"),
            field(String.class, "interestOps", "Interest", "What the key asks for"),
            field(String.class, "readyOps", "Ready", "What the key is ready for"),
            field(String.class, "attachment", "Attachment", "The class of the key's attachment"),
            bytes("unreadBytes", "Unread", "Bytes that have arrived and were not read"),
            field(long.class, "selectionsPerSecond", "Selections per Second", "How often the selector has returned"));

    private static final JfrFinding STORM = new JfrFinding("WakeupStorm", "Wakeup Storm",
            "A selector is woken again and again, with nothing to do",
            field(long.class, "wakeupsPerSecond", "Wakeups per Second", "How often the selector was woken"),
            field(boolean.class, "interrupted", "Interrupted",
                    "Whether it is the thread's interrupt status that ends each selection"),
            field(String.class, "waker", "Waker", "The thread that one of the wakeups came from, and its stack"));

    private static final JfrFinding BLOCKED = new JfrFinding("Blocked", "Blocked",
            "A loop does not return to its wait, though there are events; told while that lasts",
            time("blockedNanos", "Blocked for", "How long the loop has not returned to its wait, so far"),
            time("ownNanos", "Own Time",
                    "How much of that neither the thread nor one that it waits for had no processor"),
            field(Thread.class, "blockedThread", "Blocked Thread", "The loop's thread"),
            field(String.class, "stack", "Stack", "What the thread does, and the owner of the lock that it waits for"));

    private static final JfrFinding LOST = new JfrFinding("LostThread", "Lost Thread",
            "A loop's thread has ended or left, something waits for it, and none has taken its place",
            field(String.class, "lostThread", "Lost Thread", "The name of the thread"),
            field(String.class, "reason", "Reason", "What the thread has done"));

    private static final JfrFinding REFUSAL = new JfrFinding("RefusedRegistration", "Refused Registration",
            "The mechanism has refused a channel; poll(2) watches it meanwhile, or the next selection throws",
            field(String.class, "reason", "Reason", "The system call, the channel, its descriptor, and the error"));

    private final EventFactory factory;

    private JfrFinding(String name, String label, String description, ValueDescriptor... fields) {
        List<ValueDescriptor> all = JfrStatistics.ofLoop(field(Thread.class, "loopThread", "Loop's Thread",
                "The thread of the loop when this was found; none if it has ended"));
        all.addAll(List.of(fields));
        factory = JfrStatistics.factory(name, label, description, JfrStatistics.NO_THRESHOLD, all);
    }

    static boolean recordsRefusals() {
        return REFUSAL.factory.getEventType().isEnabled();
    }

    /** Records what was found of a loop, whose thread is null if it has ended. */
    static void commit(Loop loop, Thread thread, Evidence evidence) {
        if (evidence instanceof SpinReport report) {
            SPIN.commit(loop, thread, report.cause(), report.why().advice(), report.channel(),
                    SpinReport.ops(report.interest()), SpinReport.ops(report.ready()), report.attachment(),
                    report.unread(), report.rate());
        } else if (evidence instanceof WakeupStormReport report) {
            STORM.commit(loop, thread, report.rate(), report.isInterrupted(), text(report.stack()));
        } else if (evidence instanceof BlockedLoopReport report) {
            BLOCKED.commit(loop, thread, report.nanos(), report.own(), thread, text(report.stack()));
        } else if (evidence instanceof Evidence.LostThread report) {
            LOST.commit(loop, thread, report.thread(), report.summary());
        } else {
            REFUSAL.commit(loop, thread, evidence.toString());
        }
    }

    private void commit(Loop loop, Thread thread, Object... values) {
        Event event = factory.newEvent();
        if (event.shouldCommit()) {
            int field = JfrStatistics.setLoop(event, loop);
            event.set(field++, thread);
            for (Object value : values) {
                event.set(field++, value);
            }
            event.commit();
        }
    }

    /** Null if there is none. */
    private static String text(Throwable stack) {
        StringWriter text = new StringWriter();
        if (stack != null) {
            stack.printStackTrace(new PrintWriter(text));
        }
        return stack == null ? null : text.toString();
    }
}
