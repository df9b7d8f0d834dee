// SPDX-License-Identifier: Apache-2.0
package dev.pollux.tools.top;

import com.grack.nanojson.JsonBuilder;
import com.grack.nanojson.JsonObject;
import dev.pollux.internal.count.Counter;
import dev.pollux.internal.tell.LoopLine;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;

/** What a loop did between two samples; the first one is null if it has been opened since. Immutable. */
record Interval(Sample before, Sample now) {
    /** Loops in trouble, then the busiest; those that are alike in the order of their numbers. */
    static final Comparator<Interval> WORST_FIRST = Comparator
            .comparing((Interval loop) -> !loop.now().isInTrouble()) // false comes first
            .thenComparing(Comparator.comparingDouble(Interval::utilization).reversed())
            .thenComparingLong(Interval::number);

    /** Values of the later sample that {@code top --json} prints as they are. */
    private static final List<String> NUMBERS = List.of(LoopLine.LOOP, LoopLine.KEYS, LoopLine.REFUSED_KEYS,
            LoopLine.LONGEST_BUSY_NANOS, LoopLine.WAITING_NANOS, LoopLine.BUSY_NANOS, LoopLine.VERDICT_NANOS),
            TEXTS = List.of(LoopLine.KIND, LoopLine.THREAD, LoopLine.MECHANISM, LoopLine.VERDICT, LoopLine.EVIDENCE,
                    LoopLine.LAST_SPIN, LoopLine.GATE),
            FLAGS = List.of(LoopLine.WAITING, LoopLine.STALLED, LoopLine.LOST_THREAD);

    /** {@return what each loop of the later samples did} */
    static List<Interval> between(List<Sample> before, List<Sample> now) {
        Map<Long, Sample> earlier = before.stream()
                .collect(Collectors.toMap(sample -> sample.value(LoopLine.LOOP), Function.identity()));
        return now.stream().map(sample -> new Interval(earlier.get(sample.value(LoopLine.LOOP)), sample)).toList();
    }

    /** {@return the one that waited least; empty if none is in use} */
    static Optional<Interval> busiest(List<Interval> all) {
        return all.stream().filter(Interval::isInUse).max(Comparator.comparingDouble(Interval::utilization));
    }

    /** {@return the number of the loop} */
    long number() {
        return now.value(LoopLine.LOOP);
    }

    long growth(Counter counter) {
        return growth(counter.key());
    }

    /** {@return by how much a counter has grown for each second} */
    double perSecond(Counter counter) {
        long elapsed = growth(LoopLine.ELAPSED_NANOS);
        return elapsed <= 0 ? 0 : (double) growth(counter.key()) * TimeUnit.SECONDS.toNanos(1) / elapsed;
    }

    /**
     * {@return whether a selector has no keys, and no thread has selected, or its thread has turned to another loop}
     * Servers keep such selectors for calls that block. None of them waits, but its thread does something else. With
     * keys it may be a handler that takes long.
     */
    boolean isIdle() {
        return now.is(LoopLine.LEFT_ALONE)
                || now.value(LoopLine.KEYS) == 0 && growth(Counter.SELECTIONS.key()) == 0 && !now.is(LoopLine.WAITING);
    }

    /** {@return whether what its thread does is this loop's work, or its wait} */
    boolean isInUse() {
        return !now.isUnused() && !now.is(LoopLine.LOST_THREAD) && !isIdle();
    }

    /** {@return for how long it did not wait; the two times are not read at the same moment} */
    long busyNanos() {
        return Math.max(0, growth(LoopLine.ELAPSED_NANOS) - growth(Counter.BLOCKED_NANOS));
    }

    /** {@return the share of the time that the loop did not wait, from 0 to 1; 0 if it is not in use} */
    double utilization() {
        if (!isInUse()) {
            return 0;
        }
        long elapsed = growth(LoopLine.ELAPSED_NANOS);
        return elapsed <= 0 ? 0 : Math.min(1, (double) busyNanos() / elapsed);
    }

    /** {@return the longest stretch without a wait that ended in it, or goes on now; 0 if it is not in use} */
    long longestBusyNanos() {
        return isInUse() ? now.value(LoopLine.INTERVAL_LONGEST_BUSY_NANOS) : 0;
    }

    /** {@return what {@code top --json} prints of it: names are those of JMX, for rates with "PerSecond"} */
    JsonObject json(List<String> stack) {
        JsonBuilder<JsonObject> json = JsonObject.builder();
        NUMBERS.forEach(name -> json.value(name, now.value(name)));
        TEXTS.forEach(name -> json.value(name, now.text(name)));
        FLAGS.forEach(name -> json.value(name, now.is(name)));
        for (Counter each : Counter.values()) {
            json.value(each.key(), now.value(each)).value(each.key() + "PerSecond", perSecond(each));
        }
        json.value("idle", isIdle()).value("utilization", utilization())
                .value(LoopLine.INTERVAL_LONGEST_BUSY_NANOS, longestBusyNanos());
        return (stack.isEmpty() ? json : json.value("stack", stack)).done();
    }

    private long growth(String counter) {
        return now.value(counter) - (before == null ? 0 : before.value(counter));
    }
}
