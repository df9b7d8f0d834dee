// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.tell;

import dev.pollux.internal.count.Counter;
import dev.pollux.internal.count.Printable;
import dev.pollux.internal.verdict.LoopSnapshot;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

/** A {@link LoopSnapshot} as a line of values with the names of JMX, which {@code top} reads. Stateless. */
public final class LoopLine {
    public static final String LOOP = "loop";
    public static final String KIND = "kind";
    public static final String THREAD = "thread";
    public static final String MECHANISM = "mechanism";
    public static final String KEYS = "keys";
    public static final String REFUSED_KEYS = "refusedKeys";
    public static final String ELAPSED_NANOS = "elapsedNanos";
    public static final String LONGEST_BUSY_NANOS = "longestBusyNanos";
    public static final String INTERVAL_LONGEST_BUSY_NANOS = "intervalLongestBusyNanos";
    public static final String WAITING = "waiting";
    public static final String WAITING_NANOS = "waitingNanos";
    public static final String BUSY_NANOS = "busyNanos";
    public static final String STALLED = "stalled";
    public static final String LOCK = "lock";
    public static final String LOST_THREAD = "lostThread";
    public static final String LEFT_ALONE = "leftAlone";
    public static final String VERDICT = "verdict";
    public static final String VERDICT_NANOS = "verdictNanos";
    public static final String EVIDENCE = "evidence";
    public static final String LAST_SPIN = "lastSpin";
    public static final String GATE = "gate";

    private LoopLine() {
    }

    /** {@return the loop as a line; the longest busy time is that of those that ended since the last sample} */
    public static String of(LoopSnapshot loop, long longestEnded) {
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
}
