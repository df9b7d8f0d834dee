// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.tell;

import dev.pollux.internal.count.Counter;
import dev.pollux.internal.count.Loop;
import dev.pollux.internal.count.LoopStatistics;
import dev.pollux.internal.verdict.Verdicts;
import java.lang.annotation.Annotation;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import jdk.jfr.AnnotationElement;
import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.EventFactory;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Percentage;
import jdk.jfr.StackTrace;
import jdk.jfr.Threshold;
import jdk.jfr.Timespan;
import jdk.jfr.ValueDescriptor;

/**
 * The event with what a loop has done since it was opened, and one with what a StreamServer's has done besides; their
 * fields are made of the rows of {@link Counter}. For the loop's own thread. Allocates what is recorded.
 */
final class JfrStatistics {
    /** An event is recorded however short it is. */
    static final String NO_THRESHOLD = "0 ns";

    private static final EventFactory FACTORY = factory("SelectorStatistics", "Selector Statistics",
            "What a loop has done since it was opened; at most once a second while it does something, and when it is"
                    + " closed", NO_THRESHOLD, fields());

    /** To ask whether its like is recorded. */
    private static final Event EXAMPLE = FACTORY.newEvent();

    /** Made when the first StreamServer is recorded: selectors neither wait for it nor record its numbers. */
    private static final class OfServer {
        private static final EventFactory FACTORY = factory("StreamServerStatistics", "StreamServer Statistics",
                "What a loop of a StreamServer has done besides; as often as the other statistics", NO_THRESHOLD,
                fields());

        private static List<ValueDescriptor> fields() {
            List<ValueDescriptor> all = new ArrayList<>(ofLoop().subList(0, 1));
            Counter.ofServer().stream().map(JfrStatistics::field).forEach(all::add);
            return all;
        }

        static void commit(long loop, long[] counts) {
            Event event = FACTORY.newEvent();
            if (event.isEnabled()) {
                int field = 0;
                event.set(field++, loop);
                for (int i = Counter.OF_SERVER; i < counts.length; i++) {
                    event.set(field++, counts[i]);
                }
                event.commit();
            }
        }
    }

    private final Loop loop;
    private long elapsedBefore;
    private long blockedBefore;

    JfrStatistics(Loop loop) {
        this.loop = loop;
    }

    static EventFactory factory(String name, String label, String description, String threshold,
            List<ValueDescriptor> fields) {
        return EventFactory.create(List.of(of(Name.class, "dev.pollux." + name), of(Label.class, label),
                of(Category.class, new String[] {"Pollux"}),
                of(StackTrace.class, false), // JFR's own would begin with ten calls of ours
                of(Description.class, description), of(Threshold.class, threshold)), fields);
    }

    private static AnnotationElement of(Class<? extends Annotation> type, Object value) {
        return new AnnotationElement(type, value);
    }

    static ValueDescriptor field(Class<?> type, String name, String label, String description,
            AnnotationElement... more) {
        List<AnnotationElement> all = new ArrayList<>(List.of(of(Label.class, label),
                of(Description.class, description)));
        all.addAll(List.of(more));
        return new ValueDescriptor(type, name, all);
    }

    static ValueDescriptor time(String name, String label, String description) {
        return field(long.class, name, label, description, of(Timespan.class, Timespan.NANOSECONDS));
    }

    static ValueDescriptor bytes(String name, String label, String description) {
        return field(long.class, name, label, description, of(DataAmount.class, DataAmount.BYTES));
    }

    /** The fields by which an event names its loop, which {@link #setLoop} sets, and more. */
    static List<ValueDescriptor> ofLoop(ValueDescriptor... more) {
        List<ValueDescriptor> all = new ArrayList<>(List.of(field(long.class, "loop", "Loop",
                "The number of the selector, Poller or loop of a StreamServer, in the order of opening"),
                field(String.class, "kind", "Kind", "selector, Poller or StreamServer"),
                field(String.class, "mechanism", "Mechanism", "epoll, kqueue, /dev/poll, wepoll, poll or io_uring")));
        all.addAll(List.of(more));
        return all;
    }

    /** {@return the number of the next field} */
    static int setLoop(Event event, Loop loop) {
        event.set(0, loop.statistics().number());
        event.set(1, loop.kind());
        event.set(2, loop.mechanism());
        return 3;
    }

    /** In the order in which {@link #commit} sets them. */
    private static List<ValueDescriptor> fields() {
        List<ValueDescriptor> all = ofLoop(
                field(Thread.class, "thread", "Loop's Thread", "The thread that selected last"),
                field(double.class, "utilization", "Utilization", "The share of the time since the last report, or"
                        + " since it was opened, that it did not wait", new AnnotationElement(Percentage.class)),
                field(int.class, "keys", "Keys", "Keys, members or connections now"),
                field(int.class, "refusedKeys", "Refused Keys",
                        "Keys that the mechanism has refused, and poll(2) watches now"),
                field(String.class, "verdict", "Verdict", "What is wrong with the loop; empty if nothing is"),
                time("elapsedNanos", "Time Open", "Since the loop was opened"),
                time("longestBusyNanos", "Longest Busy Stretch", "The longest time from one wait to the next that ended"
                        + " in the last minute, or in the one before"));
        Stream.of(Counter.values()).limit(Counter.OF_SERVER).map(JfrStatistics::field).forEach(all::add);
        return all;
    }

    private static ValueDescriptor field(Counter counter) {
        String words = counter.words();
        String label = Character.toUpperCase(words.charAt(0)) + words.substring(1);
        if (counter.name().endsWith("NANOS")) {
            return time(counter.key(), label, counter.description());
        }
        return counter.name().endsWith("BYTES") ? bytes(counter.key(), label, counter.description())
                : field(long.class, counter.key(), label, counter.description());
    }

    static boolean isRecorded() {
        return EXAMPLE.isEnabled();
    }

    /** One that is recorded. */
    void commit() {
        Event event = FACTORY.newEvent();
        LoopStatistics statistics = loop.statistics();
        Thread thread = statistics.thread();
        long elapsed = statistics.elapsedNanos();
        long[] counts = statistics.counts();
        int field = setLoop(event, loop);
        event.set(field++, thread);
        event.set(field++, thread == null ? 0.0 : utilization(elapsed, counts[Counter.BLOCKED_NANOS.ordinal()]));
        event.set(field++, loop.size());
        event.set(field++, loop.refused());
        event.set(field++, Verdicts.on(loop).kind().words());
        event.set(field++, elapsed);
        event.set(field++, statistics.longestBusyNanos());
        for (int i = 0; i < Counter.OF_SERVER; i++) {
            event.set(field++, counts[i]);
        }
        event.commit();
        if (counts.length > Counter.OF_SERVER) {
            OfServer.commit(statistics.number(), counts);
        }
    }

    private double utilization(long elapsed, long blocked) {
        long since = elapsed - elapsedBefore;
        double idle = since <= 0 ? 1 : (double) (blocked - blockedBefore) / since;
        elapsedBefore = elapsed;
        blockedBefore = blocked;
        return Math.max(0, Math.min(1, 1 - idle));
    }
}
