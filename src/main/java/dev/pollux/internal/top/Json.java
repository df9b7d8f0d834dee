// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.top;

import dev.pollux.internal.command.JsonText;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** What {@code top --json} prints: one object on one line. Stateless. */
final class Json {
    private Json() {
    }

    /** {@return the object; the stack is that of the loop with this number} */
    static String of(long pid, List<Interval> loops, long number, List<String> stack) {
        Map<String, String> members = new LinkedHashMap<>();
        members.put("pid", Long.toString(pid));
        members.put("loops", JsonText.array(loops.stream()
                .map(loop -> of(loop, loop.now().value(Sample.NUMBER) == number ? stack : List.of()))
                .collect(Collectors.toList())));
        return JsonText.object(members);
    }

    private static String of(Interval loop, List<String> stack) {
        Sample now = loop.now();
        Map<String, String> members = new LinkedHashMap<>();
        members.put("number", number(now, Sample.NUMBER));
        members.put("kind", JsonText.quoted(now.text(Sample.KIND)));
        members.put("thread", JsonText.quoted(now.text(Sample.THREAD)));
        members.put("mechanism", JsonText.quoted(now.text(Sample.MECHANISM)));
        members.put("keys", number(now, Sample.KEYS));
        members.put("refusedKeys", number(now, Sample.REFUSED));
        members.put("selectionsPerSecond", decimal(loop.perSecond(Sample.SELECTIONS)));
        members.put("readyPerSecond", decimal(loop.perSecond(Sample.READY)));
        members.put("wakeupsPerSecond", decimal(loop.perSecond(Sample.WAKEUPS)));
        members.put("wakeupCallsPerSecond", decimal(loop.perSecond(Sample.WAKEUP_CALLS)));
        members.put("utilization", decimal(loop.utilization()));
        members.put("longestBusyNanos", number(now, Sample.LONGEST_BUSY));
        members.put("spins", number(now, Sample.SPINS));
        members.put("wakeupStorms", number(now, Sample.STORMS));
        members.put("refusals", number(now, Sample.REFUSALS));
        members.put("waiting", flag(now, Sample.WAITING));
        members.put("stateNanos", number(now, Sample.STATE));
        members.put("stalled", flag(now, Sample.STALLED));
        members.put("lostThread", flag(now, Sample.LOST_THREAD));
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
