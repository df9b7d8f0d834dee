// SPDX-License-Identifier: Apache-2.0
package dev.pollux.compatibility;

import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What one run of a trial came to. Immutable.
 *
 * @param fault why it failed, or an empty string
 * @param answers how many answers were right
 * @param selectors how many selectors there were under load
 * @param selections how often they had selected by then; 0 without Pollux
 * @param daemons names of daemon threads that the framework's shutdown left, or an empty string
 */
record Outcome(String fault, long answers, long selectors, long selections, String daemons) {
    private static final String POLLUX = "dev.pollux.internal.selector.PolluxSelector";
    private static final Pattern NUMBER = Pattern.compile("\"([\\w.]+)\":(\\d+)");
    private static final Pattern THREADS = Pattern.compile("\"threads\":\"([^\"]*)\"");
    private static final Pattern DAEMONS = Pattern.compile("\"daemons\":\"([^\"]*)\"");

    boolean isFine() {
        return fault.isEmpty();
    }

    /**
     * Judges a run.
     *
     * @param line     the line of JSON that the trial has printed
     * @param isPollux whether it ran on Pollux
     */
    static Outcome of(String line, boolean isPollux) {
        Map<String, Long> numbers = new TreeMap<>();
        for (Matcher number = NUMBER.matcher(line); number.find();) {
            numbers.put(number.group(1), Long.parseLong(number.group(2)));
        }
        String left = first(THREADS, line);
        long ours = numbers.getOrDefault(POLLUX, 0L);
        long others = numbers.entrySet().stream().filter(entry -> entry.getKey().startsWith("sun.nio.ch."))
                .mapToLong(Map.Entry::getValue).sum();
        String fault = "";
        if (ours + others == 0) {
            fault = "it has no selector";
        } else if (isPollux && (ours == 0 || others != 0)) {
            fault = ours + " selectors of Pollux and " + others + " of the JDK";
        } else if (isPollux && numbers.get("selections") == 0) {
            fault = "nobody has selected";
        } else if (numbers.get("open") != 0) {
            fault = numbers.get("open") + " selectors are open after the shutdown";
        } else if (!left.isEmpty()) {
            fault = "threads left after the shutdown: " + left;
        }
        return new Outcome(fault, numbers.get("answers"), ours + others, numbers.get("selections"),
                first(DAEMONS, line));
    }

    private static String first(Pattern pattern, String line) {
        Matcher matcher = pattern.matcher(line);
        return matcher.find() ? matcher.group(1) : "";
    }

    /** {@return that of a run that printed no line} */
    static Outcome failed(String fault) {
        return new Outcome(fault, 0, 0, 0, "");
    }
}
