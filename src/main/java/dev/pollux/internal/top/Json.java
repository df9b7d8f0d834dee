// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.top;

import dev.pollux.internal.command.JsonText;
import dev.pollux.internal.insight.Counter;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

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
        Map<String, String> members = new LinkedHashMap<>();
        members.put("time", JsonText.quoted(time.truncatedTo(ChronoUnit.MILLIS).toString()));
        members.put("pid", Long.toString(pid));
        members.put("loops", JsonText.array(loops.stream()
                .map(loop -> of(loop, loop.now().value(Sample.LOOP) == number ? stack : List.of()))
                .collect(Collectors.toList())));
        return JsonText.object(members);
    }

    private static String of(Interval loop, List<String> stack) {
        Sample now = loop.now();
        Map<String, String> members = new LinkedHashMap<>();
        members.put(Sample.LOOP, number(now, Sample.LOOP));
        members.put(Sample.KIND, JsonText.quoted(now.text(Sample.KIND)));
        members.put(Sample.THREAD, JsonText.quoted(now.text(Sample.THREAD)));
        members.put(Sample.MECHANISM, JsonText.quoted(now.text(Sample.MECHANISM)));
        members.put(Sample.KEYS, number(now, Sample.KEYS));
        members.put(Sample.REFUSED_KEYS, number(now, Sample.REFUSED_KEYS));
        for (Counter each : Counter.values()) {
            members.put(each.key(), number(now, each.key()));
            members.put(each.key() + PER_SECOND, decimal(loop.perSecond(each)));
        }
        members.put("utilization", decimal(loop.utilization()));
        members.put(Sample.LONGEST_BUSY_NANOS, number(now, Sample.LONGEST_BUSY_NANOS));
        members.put(Sample.WAITING, flag(now, Sample.WAITING));
        members.put("idle", Boolean.toString(loop.isIdle()));
        members.put(Sample.WAITING_NANOS, number(now, Sample.WAITING_NANOS));
        members.put(Sample.BUSY_NANOS, number(now, Sample.BUSY_NANOS));
        members.put(Sample.STALLED, flag(now, Sample.STALLED));
        members.put(Sample.LOST_THREAD, flag(now, Sample.LOST_THREAD));
        if (!stack.isEmpty()) {
            members.put("stack", JsonText.array(stack.stream().map(JsonText::quoted).collect(Collectors.toList())));
        }
        return JsonText.object(members);
    }

    private static String number(Sample sample, String name) {
        return Long.toString(sample.value(name));
    }

    private static String flag(Sample sample, String name) {
        return Boolean.toString(sample.is(name));
    }

    private static String decimal(double value) {
        return String.format(Locale.ROOT, "%.4f", value);
    }
}
