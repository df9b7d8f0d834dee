// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.openjdk.jmh.runner.BenchmarkList;
import org.openjdk.jmh.runner.BenchmarkListEntry;
import org.openjdk.jmh.runner.format.OutputFormatFactory;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * One benchmark with one value of its size parameter; the provider is still open.
 *
 * @param method the full name that JMH knows
 * @param parameter name of the size parameter, or null if the benchmark has none
 * @param value its value, or an empty string
 */
record Case(String method, String parameter, String value) {
    private static final List<String> PARAMETERS = List.of("size", "load");

    /** Finds the cases whose {@link #label} matches, in the order of their names. */
    static List<Case> matching(Pattern only) {
        List<Case> cases = new ArrayList<>();
        var quiet = OutputFormatFactory.createFormatInstance(System.err, VerboseMode.SILENT);
        for (BenchmarkListEntry entry : BenchmarkList.defaultList().getAll(quiet, List.of())) {
            cases.addAll(of(entry));
        }
        cases.removeIf(each -> !only.matcher(each.label()).find());
        return cases;
    }

    private static List<Case> of(BenchmarkListEntry entry) {
        List<Case> cases = new ArrayList<>();
        for (String name : PARAMETERS) {
            if (entry.getParams().hasValue() && entry.getParams().get().containsKey(name)) {
                for (String value : entry.getParams().get().get(name)) {
                    cases.add(new Case(entry.getUsername(), name, value));
                }
            }
        }
        return cases.isEmpty() ? List.of(new Case(entry.getUsername(), null, "")) : cases;
    }

    /** The simple name of the benchmark's class, which is the floor's name too. */
    String name() {
        String owner = method.substring(0, method.lastIndexOf('.'));
        return owner.substring(owner.lastIndexOf('.') + 1);
    }

    /** Name and value, as in {@code SelectOne 100}. */
    String label() {
        return value.isEmpty() ? name() : name() + " " + value;
    }

    /** Ready and registered channels in the words of the floor program. */
    String load() {
        if (value.isEmpty()) {
            return "0/0";
        }
        return value.contains("/") ? value : "1/" + value;
    }
}
