// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.verdict;

import dev.pollux.internal.count.Printable;
import dev.pollux.internal.jdk.PolluxProperties;
import dev.pollux.internal.jdk.Privileged;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * What the properties say about the detectors: all that looks for trouble in loops by itself, and warns of it. Read
 * once, when one of them begins. Immutable. Where a property is wrong its default holds, and the {@link WatchThread}
 * says so.
 */
public final class Detectors {
    /** System property: {@code off} for no detectors at all; {@code on} is the default. */
    static final String PROPERTY = "dev.pollux.watch";

    /** System property: after how many milliseconds without a wait a loop counts as blocked; 0 for never. */
    static final String BLOCKED_PROPERTY = "dev.pollux.watch.blocked";

    private static final long DEFAULT_BLOCKED_MILLIS = 2000;

    private static final String SWITCH = read(PROPERTY, "on");
    private static final String BLOCKED = read(BLOCKED_PROPERTY, Long.toString(DEFAULT_BLOCKED_MILLIS));

    private static final boolean ARE_ON = !SWITCH.equals("off");
    private static final long BLOCKED_NANOS =
            TimeUnit.MILLISECONDS.toNanos(millis(BLOCKED) < 0 ? DEFAULT_BLOCKED_MILLIS : millis(BLOCKED));

    private Detectors() {
    }

    public static boolean areOn() {
        return ARE_ON;
    }

    /** {@return after how long a loop counts as blocked; 0 for never} */
    static long blockedNanos() {
        return BLOCKED_NANOS;
    }

    /** {@return what is wrong with the properties, and those that we do not know, a sentence each} */
    static List<String> mistakes() {
        List<String> all = new ArrayList<>();
        if (ARE_ON && !SWITCH.equals("on")) {
            all.add(mistake(PROPERTY, SWITCH, "on or off is wanted; they stay on"));
        }
        if (millis(BLOCKED) < 0) {
            all.add(mistake(BLOCKED_PROPERTY, BLOCKED, "a number of milliseconds is wanted, 0 or more; it is "
                    + DEFAULT_BLOCKED_MILLIS));
        }
        PolluxProperties.unknown().forEach(each -> all.add(Printable.of(each)));
        return all;
    }

    /** Negative if it is no such number. */
    private static long millis(String value) {
        try {
            return Long.parseLong(value);
        } catch (NumberFormatException e) {
            return -1;
        }
    }

    /** Without a lambda unless it is needed: this is on the way of a loop's first wait. */
    private static String read(String property, String standard) {
        try {
            String value = Privileged.isNeeded() ? Privileged.run(() -> System.getProperty(property))
                    : System.getProperty(property);
            return value == null || value.isBlank() ? standard : value.strip();
        } catch (IOException | RuntimeException e) {
            return standard;
        }
    }

    private static String mistake(String property, String value, String wanted) {
        return "-D" + property + '=' + Printable.of(value) + ": " + wanted;
    }
}
