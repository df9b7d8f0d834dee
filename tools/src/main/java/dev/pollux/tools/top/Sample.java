// SPDX-License-Identifier: Apache-2.0
package dev.pollux.tools.top;

import dev.pollux.internal.count.Counter;
import dev.pollux.internal.tell.LoopLine;
import java.util.HashMap;
import java.util.Map;

/**
 * A {@link LoopLine} of another virtual machine. That VM may run another version of Pollux, so a missing value counts
 * as 0, and a new one is ignored. Immutable.
 */
record Sample(Map<String, String> values) {
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
        return value(Counter.SELECTIONS) == 0 && value(Counter.BLOCKED_NANOS) == 0 && value(LoopLine.BUSY_NANOS) == 0;
    }

    /** Whether the verdict is that something is wrong with it. */
    boolean isInTrouble() {
        return !text(LoopLine.VERDICT).isEmpty();
    }

    boolean is(String name) {
        return value(name) != 0;
    }
}
