// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.top;

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
        return "{\"pid\":" + pid + ",\"loops\":[" + loops.stream()
                .map(loop -> of(loop, loop.now().value(Sample.NUMBER) == number ? stack : List.of()))
                .collect(Collectors.joining(",")) + "]}";
    }

    private static String of(Interval loop, List<String> stack) {
        Sample now = loop.now();
        Map<String, String> members = new LinkedHashMap<>();
        members.put("number", number(now, Sample.NUMBER));
        members.put("kind", quoted(now.text(Sample.KIND)));
        members.put("thread", quoted(now.text(Sample.THREAD)));
        members.put("mechanism", quoted(now.text(Sample.MECHANISM)));
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
            members.put("stack", stack.stream().map(Json::quoted).collect(Collectors.joining(",", "[", "]")));
        }
        return members.entrySet().stream().map(member -> quoted(member.getKey()) + ':' + member.getValue())
                .collect(Collectors.joining(",", "{", "}"));
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

    /** {@return the text as JSON, in ASCII alone, whatever the terminal's encoding} */
    static String quoted(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                quoted.append('\\').append(c);
            } else if (c < ' ' || c > '~') {
                quoted.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
            } else {
                quoted.append(c);
            }
        }
        return quoted.append('"').toString();
    }
}
