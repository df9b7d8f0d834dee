// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.top;

import dev.pollux.internal.count.Counter;
import dev.pollux.internal.tool.JsonObject;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;

/** What a loop did between two samples; the first one is null if it has been opened since. Immutable. */
record Interval(Sample before, Sample now) {

    /** {@return what each loop of the later samples did} */
    static List<Interval> between(List<Sample> before, List<Sample> now) {
        Map<Long, Sample> earlier = before.stream()
                .collect(Collectors.toMap(sample -> sample.value(Sample.LOOP), Function.identity()));
        return now.stream().map(sample -> new Interval(earlier.get(sample.value(Sample.LOOP)), sample)).toList();
    }

    /** {@return the one that waited least; empty if none is in use} */
    static Optional<Interval> busiest(List<Interval> all) {
        return all.stream().filter(Interval::isInUse).max(Comparator.comparingDouble(Interval::utilization));
    }

    /** {@return the number of the loop} */
    long number() {
        return now.value(Sample.LOOP);
    }

    long growth(Counter counter) {
        return growth(counter.key());
    }

    /** {@return by how much a counter has grown for each second} */
    double perSecond(Counter counter) {
        long elapsed = growth(Sample.ELAPSED_NANOS);
        return elapsed <= 0 ? 0 : (double) growth(counter.key()) * TimeUnit.SECONDS.toNanos(1) / elapsed;
    }

    /**
     * {@return whether a selector has no keys, and no thread has selected, or its thread has turned to another loop}
     * Servers keep such selectors for calls that block. None of them waits, but its thread does something else. With
     * keys it may be a handler that takes long.
     */
    boolean isIdle() {
        return now.is(Sample.LEFT_ALONE)
                || now.value(Sample.KEYS) == 0 && growth(Counter.SELECTIONS.key()) == 0 && !now.is(Sample.WAITING);
    }

    /** {@return whether what its thread does is this loop's work, or its wait} */
    boolean isInUse() {
        return !now.isUnused() && !now.is(Sample.LOST_THREAD) && !isIdle();
    }

    /** {@return for how long it did not wait; the two times are not read at the same moment} */
    long busyNanos() {
        return Math.max(0, growth(Sample.ELAPSED_NANOS) - growth(Counter.BLOCKED_NANOS));
    }

    /** {@return the share of the time that the loop did not wait, from 0 to 1; 0 if it is not in use} */
    double utilization() {
        if (!isInUse()) {
            return 0;
        }
        long elapsed = growth(Sample.ELAPSED_NANOS);
        return elapsed <= 0 ? 0 : Math.min(1, (double) busyNanos() / elapsed);
    }

    /** {@return the longest stretch without a wait that ended in it, or goes on now; 0 if it is not in use} */
    long longestBusyNanos() {
        return isInUse() ? now.value(Sample.INTERVAL_LONGEST_BUSY_NANOS) : 0;
    }

    /** {@return what {@code top --json} prints of it: names are those of JMX, for rates with "PerSecond"} */
    JsonObject json(List<String> stack) {
        JsonObject json = new JsonObject().put(Sample.LOOP, now.value(Sample.LOOP))
                .put(Sample.KIND, now.text(Sample.KIND))
                .put(Sample.THREAD, now.text(Sample.THREAD))
                .put(Sample.MECHANISM, now.text(Sample.MECHANISM))
                .put(Sample.KEYS, now.value(Sample.KEYS))
                .put(Sample.REFUSED_KEYS, now.value(Sample.REFUSED_KEYS));
        for (Counter each : Counter.values()) {
            json.put(each.key(), now.value(each)).put(each.key() + "PerSecond", perSecond(each));
        }
        json.put("utilization", utilization())
                .put(Sample.LONGEST_BUSY_NANOS, now.value(Sample.LONGEST_BUSY_NANOS))
                .put(Sample.INTERVAL_LONGEST_BUSY_NANOS, longestBusyNanos())
                .put(Sample.WAITING, now.is(Sample.WAITING))
                .put("idle", isIdle())
                .put(Sample.WAITING_NANOS, now.value(Sample.WAITING_NANOS))
                .put(Sample.BUSY_NANOS, now.value(Sample.BUSY_NANOS))
                .put(Sample.STALLED, now.is(Sample.STALLED))
                .put(Sample.LOST_THREAD, now.is(Sample.LOST_THREAD))
                .put(Sample.VERDICT, now.text(Sample.VERDICT))
                .put(Sample.VERDICT_NANOS, now.value(Sample.VERDICT_NANOS))
                .put(Sample.EVIDENCE, now.text(Sample.EVIDENCE))
                .put(Sample.LAST_SPIN, now.text(Sample.LAST_SPIN))
                .put(Sample.GATE, now.text(Sample.GATE));
        return stack.isEmpty() ? json : json.put("stack", stack);
    }

    private long growth(String counter) {
        return now.value(counter) - (before == null ? 0 : before.value(counter));
    }
}
