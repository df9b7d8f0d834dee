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
    public static final String LOOP = "loop", KIND = "kind", THREAD = "thread", MECHANISM = "mechanism", KEYS = "keys",
            REFUSED_KEYS = "refusedKeys", ELAPSED_NANOS = "elapsedNanos", LONGEST_BUSY_NANOS = "longestBusyNanos",
            INTERVAL_LONGEST_BUSY_NANOS = "intervalLongestBusyNanos", WAITING = "waiting",
            WAITING_NANOS = "waitingNanos", BUSY_NANOS = "busyNanos", STALLED = "stalled", LOCK = "lock",
            LOST_THREAD = "lostThread", LEFT_ALONE = "leftAlone", VERDICT = "verdict", VERDICT_NANOS = "verdictNanos",
            EVIDENCE = "evidence", LAST_SPIN = "lastSpin", GATE = "gate";

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
