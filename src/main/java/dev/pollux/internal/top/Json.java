// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.top;

import dev.pollux.internal.insight.Counter;
import dev.pollux.internal.tool.JsonObject;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;

/**
 * What {@code top --json} prints: one object on one line. Its members have the names of JMX; the rate at which a
 * counter grows has the counter's name, with "PerSecond". Stateless.
 */
final class Json {
    private static final String PER_SECOND = "PerSecond";

    private Json() {
    }

    /** {@return the object; the stack is that of the loop with this number} */
    static String of(Instant time, long pid, List<Interval> loops, long number, List<String> stack) {
        return new JsonObject().put("time", time.truncatedTo(ChronoUnit.MILLIS).toString()).put("pid", pid)
                .put("loops", loops.stream()
                        .map(loop -> of(loop, loop.now().value(Sample.LOOP) == number ? stack : List.of())).toList())
                .toString();
    }

    private static JsonObject of(Interval loop, List<String> stack) {
        Sample now = loop.now();
        JsonObject json = new JsonObject().put(Sample.LOOP, now.value(Sample.LOOP))
                .put(Sample.KIND, now.text(Sample.KIND))
                .put(Sample.THREAD, now.text(Sample.THREAD))
                .put(Sample.MECHANISM, now.text(Sample.MECHANISM))
                .put(Sample.KEYS, now.value(Sample.KEYS))
                .put(Sample.REFUSED_KEYS, now.value(Sample.REFUSED_KEYS));
        for (Counter each : Counter.values()) {
            json.put(each.key(), now.value(each)).put(each.key() + PER_SECOND, loop.perSecond(each));
        }
        json.put("utilization", loop.utilization())
                .put(Sample.LONGEST_BUSY_NANOS, now.value(Sample.LONGEST_BUSY_NANOS))
                .put(Sample.WAITING, now.is(Sample.WAITING))
                .put("idle", loop.isIdle())
                .put(Sample.WAITING_NANOS, now.value(Sample.WAITING_NANOS))
                .put(Sample.BUSY_NANOS, now.value(Sample.BUSY_NANOS))
                .put(Sample.STALLED, now.is(Sample.STALLED))
                .put(Sample.LOST_THREAD, now.is(Sample.LOST_THREAD));
        return stack.isEmpty() ? json : json.put("stack", stack);
    }
}
