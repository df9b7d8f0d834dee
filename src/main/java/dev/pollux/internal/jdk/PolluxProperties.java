// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.jdk;

import java.io.IOException;
import java.util.Comparator;
import java.util.List;
import java.util.Properties;
import java.util.TreeSet;

/**
 * The names of all system properties that Pollux knows, and what to say of one that it does not know. Stateless and
 * safe for use by many threads. Allocates; not for a thread that opens the first selector, since it loads classes.
 */
public final class PolluxProperties {
    private static final String PREFIX = "dev.pollux.";

    /** Each is read elsewhere. docs/tuning.md explains them. */
    private static final List<String> KNOWN = List.of("dev.pollux.batch", "dev.pollux.busypoll",
            "dev.pollux.calls", "dev.pollux.calls.replaced", "dev.pollux.jmx", "dev.pollux.library.path",
            "dev.pollux.server.mechanism", "dev.pollux.tmpdir", "dev.pollux.watch", "dev.pollux.watch.blocked");

    private PolluxProperties() {
    }

    /** {@return the names, in alphabetical order} */
    public static List<String> known() {
        return KNOWN;
    }

    /** {@return a sentence for each property of this VM that has our prefix and is not known; mostly none} */
    public static List<String> unknown() {
        try {
            Properties all = Privileged.run(System::getProperties);
            return new TreeSet<>(all.stringPropertyNames()).stream()
                    .filter(name -> name.startsWith(PREFIX) && !KNOWN.contains(name))
                    .map(name -> "-D" + name + " has no effect: Pollux has no such property; did you mean "
                            + nearest(name, KNOWN) + '?').toList();
        } catch (IOException | SecurityException e) {
            return List.of(); // then none of them can be read
        }
    }

    /** {@return the one of these names that is the most similar} */
    public static String nearest(String name, List<String> names) {
        return names.stream().min(Comparator.comparingInt(each -> distance(name, each))).orElseThrow();
    }

    /** The Levenshtein distance: how many characters to insert, delete or replace. */
    private static int distance(String from, String to) {
        int[] row = new int[to.length() + 1];
        for (int j = 0; j < row.length; j++) {
            row[j] = j;
        }
        for (int i = 1; i <= from.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j < row.length; j++) {
                int replaced = diagonal + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(replaced, 1 + Math.min(row[j], row[j - 1]));
            }
        }
        return row[row.length - 1];
    }
}
