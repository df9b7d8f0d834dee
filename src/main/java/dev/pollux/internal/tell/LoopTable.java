// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.tell;

import dev.pollux.internal.count.BusyTimes;
import dev.pollux.internal.count.Counter;
import dev.pollux.internal.verdict.LoopSnapshot;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.management.openmbean.CompositeDataSupport;
import javax.management.openmbean.CompositeType;
import javax.management.openmbean.OpenDataException;
import javax.management.openmbean.OpenType;
import javax.management.openmbean.SimpleType;
import javax.management.openmbean.TabularData;
import javax.management.openmbean.TabularDataSupport;
import javax.management.openmbean.TabularType;

/**
 * Snapshots of loops as a table for JMX, a row for each. The first columns name a loop. They are the index of the
 * table, since exporters make labels of an index. Its thread is not among them: it may change. Stateless. Needs the
 * module {@code java.management}.
 */
final class LoopTable {
    private static final String[] INDEX = {"loop", "slot", "kind", "mechanism"};

    /** A loop that is busy for so long is shown with the stack of its thread; to take it stops the thread briefly. */
    private static final long STACK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** What there is once for each loop and can be added up. */
    static final List<Column<?>> SUMMED = Stream.<Column<?>>concat(Stream.of(
            number("keys", "Keys of a selector, members of a Poller, connections of a StreamServer",
                    loop -> (long) loop.size()),
            number("refusedKeys", "Keys that the mechanism has refused and poll(2) watches",
                    loop -> (long) loop.refused()),
            number("elapsedNanos", "Nanoseconds since the loop was opened", LoopSnapshot::elapsedNanos),
            stretches(0, "UpTo1ms", " that took 1 ms at most"),
            stretches(1, "UpTo10ms", " that took 10 ms at most"),
            stretches(2, "UpTo100ms", " that took 100 ms at most"),
            stretches(3, "UpTo1s", " that took 1 s at most"),
            stretches(4, "UpTo10s", " that took 10 s at most"),
            stretches(BusyTimes.BOUNDS, "", ", all")),
            Stream.of(Counter.values()).map(each -> number(each.key(), each.description(), loop -> loop.count(each))))
            .toList();

    private static final List<Column<?>> NAMES = List.of(
            number("loop", "Number of the loop, in the order of opening", LoopSnapshot::number),
            number("slot", "Lowest number that no other open loop of this kind had, for labels; -1 if it has none",
                    loop -> (long) loop.slot()),
            text("kind", "selector, Poller or StreamServer", LoopSnapshot::kind),
            text("mechanism", "The mechanism that runs", LoopSnapshot::mechanism),
            text("thread", "Name of the thread that selected last", LoopSnapshot::threadName),
            number("threadId", "Number of the thread that selected last, as in java.lang:type=Threading",
                    LoopSnapshot::threadId));

    private static final List<Column<?>> STATE = List.of(
            new Column<>("utilization", "Share of its time that the loop did not wait, from 0 to 1", SimpleType.DOUBLE,
                    LoopSnapshot::utilization),
            flag("waiting", "Whether a thread waits in the loop now", LoopSnapshot::isWaiting),
            text("verdict", "What is wrong with the loop, in one or two words; empty if nothing is",
                    loop -> loop.isLeftAlone() ? "" : loop.verdict().kind().words()),
            number("verdictNanos", "Nanoseconds since what is wrong with the loop began; 0 if nothing is",
                    loop -> loop.isLeftAlone() ? 0 : loop.verdictNanos()),
            text("evidence", "What shows it; empty if nothing is wrong", loop -> loop.verdict().evidence()),
            flag("blocked", "Whether the verdict is that the loop is blocked", LoopSnapshot::isBlocked),
            flag("stalled", "Whether the loop has not selected for 100 ms though there are events",
                    LoopSnapshot::isStalled),
            flag("lostThread", "Whether no thread selects any more, though something waits for one",
                    LoopSnapshot::hasLostThread),
            flag("batching", "Whether writes to the loop's channels are deferred now", LoopSnapshot::isBatching),
            number("waitingNanos", "Nanoseconds since the wait in progress began", LoopSnapshot::waitingNanos),
            number("busyNanos", "Nanoseconds since the last wait ended; 0 while a thread waits and before the first",
                    LoopSnapshot::busyNanos),
            number("busySelections", "Selections since the last wait ended", LoopSnapshot::busySelections),
            number("longestBusyNanos", "Nanoseconds from one wait to the next, the longest that ended in the last"
                    + " minute or in the one before it, or goes on now", LoopSnapshot::longestBusyNanos),
            text("lastSpin", "Why a key made the loop spin last, and the key's channel; empty if none did",
                    LoopSnapshot::lastSpin),
            text("gate", "Whether a wakeup is on its way, who woke last, how many signals were sent, and how many the"
                    + " kernel has counted; empty where that is not known", LoopSnapshot::gate),
            text("stack", "What the thread does now, if the loop has been busy for 100 ms or more; else empty", loop ->
                    loop.busyNanos() >= STACK_NANOS ? stack(loop) : ""));

    private static final List<Column<?>> COLUMNS =
            List.of(NAMES, STATE, SUMMED).stream().<Column<?>>flatMap(List::stream).toList();

    static final TabularType TYPE = type();

    record Column<T>(String name, String description, SimpleType<T> type, Function<LoopSnapshot, T> value) {
    }

    private LoopTable() {
    }

    private static Column<Long> number(String name, String description, Function<LoopSnapshot, Long> value) {
        return new Column<>(name, description, SimpleType.LONG, value);
    }

    /** Of a histogram, so each bound has those below it, too. */
    private static Column<Long> stretches(int bound, String suffix, String words) {
        return number("busyStretches" + suffix, "Times from one wait to the next" + words,
                loop -> loop.busyStretches()[bound]);
    }

    private static Column<String> text(String name, String description, Function<LoopSnapshot, String> value) {
        return new Column<>(name, description, SimpleType.STRING, value);
    }

    private static Column<Boolean> flag(String name, String description, Function<LoopSnapshot, Boolean> value) {
        return new Column<>(name, description, SimpleType.BOOLEAN, value);
    }

    private static String[] texts(Function<Column<?>, String> text) {
        return COLUMNS.stream().map(text).toArray(String[]::new);
    }

    private static TabularType type() {
        try {
            OpenType<?>[] types = COLUMNS.stream().map(Column::type).toArray(OpenType<?>[]::new);
            CompositeType row = new CompositeType("dev.pollux.Loop", "A selector, a Poller or a thread of a "
                    + "StreamServer", texts(Column::name), texts(Column::description), types);
            return new TabularType("dev.pollux.Loops", "All loops that are open", row, INDEX);
        } catch (OpenDataException e) {
            throw new AssertionError(e); // it is always the same
        }
    }

    static TabularData of(List<LoopSnapshot> loops) {
        TabularDataSupport table = new TabularDataSupport(TYPE);
        for (LoopSnapshot loop : loops) {
            Object[] values = COLUMNS.stream().map(column -> (Object) column.value().apply(loop)).toArray();
            try {
                table.put(new CompositeDataSupport(TYPE.getRowType(), texts(Column::name), values));
            } catch (OpenDataException e) {
                throw new AssertionError(e); // the values are of the columns' types
            }
        }
        return table;
    }

    /** What the thread of a loop does now, a call on each line, innermost first; empty if there is no thread. */
    static String stack(LoopSnapshot loop) {
        return Arrays.stream(loop.stack()).map(call -> "at " + call + '\n').collect(Collectors.joining());
    }
}
