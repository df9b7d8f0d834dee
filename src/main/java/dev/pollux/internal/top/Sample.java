// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.top;

import dev.pollux.internal.count.Counter;
import dev.pollux.internal.count.Printable;
import dev.pollux.internal.verdict.LoopSnapshot;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * A {@link LoopSnapshot} of another virtual machine, as a line of values with the names of JMX. That VM may run another
 * version of Pollux, so a missing value counts as 0, and a new one is ignored. Immutable.
 */
record Sample(Map<String, String> values) {
    static final String LOOP = "loop";
    static final String KIND = "kind";
    static final String THREAD = "thread";
    static final String MECHANISM = "mechanism";
    static final String KEYS = "keys";
    static final String REFUSED_KEYS = "refusedKeys";
    static final String ELAPSED_NANOS = "elapsedNanos";
    static final String LONGEST_BUSY_NANOS = "longestBusyNanos";
    static final String INTERVAL_LONGEST_BUSY_NANOS = "intervalLongestBusyNanos";
    static final String WAITING = "waiting";
    static final String WAITING_NANOS = "waitingNanos";
    static final String BUSY_NANOS = "busyNanos";
    static final String STALLED = "stalled";
    static final String LOCK = "lock";
    static final String LOST_THREAD = "lostThread";
    static final String LEFT_ALONE = "leftAlone";
    static final String VERDICT = "verdict";
    static final String VERDICT_NANOS = "verdictNanos";
    static final String EVIDENCE = "evidence";
    static final String LAST_SPIN = "lastSpin";
    static final String GATE = "gate";

    /** {@return the loop as a line; the longest busy time is that of those that ended since the last sample} */
    static String encode(LoopSnapshot loop, long longestEnded) {
        Map<String, Object> values = new LinkedHashMap<>();
        values.put(LOOP, loop.number());
        values.put(KIND, loop.kind());
        values.put(THREAD, loop.threadName());
        values.put(MECHANISM, loop.mechanism());
        values.put(KEYS, loop.size());
        values.put(REFUSED_KEYS, loop.refused());
        values.put(ELAPSED_NANOS, loop.elapsedNanos());
        values.put(LONGEST_BUSY_NANOS, loop.longestBusyNanos());
        values.put(INTERVAL_LONGEST_BUSY_NANOS, Math.max(longestEnded, loop.busyNanos()));
        values.put(WAITING, loop.isWaiting() ? 1 : 0);
        values.put(WAITING_NANOS, loop.waitingNanos());
        values.put(BUSY_NANOS, loop.busyNanos());
        values.put(STALLED, loop.isStalled() ? 1 : 0);
        values.put(LOCK, loop.lock());
        values.put(LOST_THREAD, loop.hasLostThread() ? 1 : 0);
        values.put(LEFT_ALONE, loop.isLeftAlone() ? 1 : 0);
        values.put(VERDICT, loop.isLeftAlone() ? "" : loop.verdict().kind().words());
        values.put(VERDICT_NANOS, loop.verdictNanos());
        values.put(EVIDENCE, loop.verdict().evidence());
        values.put(LAST_SPIN, loop.lastSpin());
        values.put(GATE, loop.gate());
        for (Counter each : Counter.values()) {
            values.put(each.key(), loop.count(each));
        }
        return values.entrySet().stream().map(value -> value.getKey() + '=' + Printable.of(value.getValue()))
                .collect(Collectors.joining("\t"));
    }

    static Sample decode(String line) {
        Map<String, String> values = new HashMap<>();
        for (String field : line.split("\t")) {
            int end = field.indexOf('=');
            values.put(field.substring(0, Math.max(end, 0)), field.substring(end + 1));
        }
        return new Sample(values);
    }

    String text(String name) {
        return values.getOrDefault(name, "");
    }

    long value(String name) {
        return Long.parseLong(values.getOrDefault(name, "0"));
    }

    long value(Counter counter) {
        return value(counter.key());
    }

    /** Whether it has never selected: such a loop is neither waiting nor busy. */
    boolean isUnused() {
        return value(Counter.SELECTIONS) == 0 && value(Counter.BLOCKED_NANOS) == 0 && value(BUSY_NANOS) == 0;
    }

    /** Whether the verdict is that something is wrong with it. */
    boolean isInTrouble() {
        return !text(VERDICT).isEmpty();
    }

    boolean is(String name) {
        return value(name) != 0;
    }
}
