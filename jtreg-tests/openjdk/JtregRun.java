// SPDX-License-Identifier: Apache-2.0
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * All tests, run once with one provider. Immutable.
 *
 * @param name   the provider's, or "default"
 * @param folder where its results are
 */
record JtregRun(String name, Path folder) {
    private static final Pattern RESULT = Pattern.compile("^(\\S+) +(Passed|Failed|Error)\\.", Pattern.MULTILINE);

    /**
     * Runs them.
     *
     * @param command jtreg's, up to the options of this run
     * @param wanted  what these results are the results of; a complete run of the same is not repeated
     */
    static JtregRun of(String name, Path folder, List<String> command, List<String> options, List<String> tests,
            String wanted) throws IOException, InterruptedException {
        JtregRun run = new JtregRun(name, folder);
        Path complete = folder.resolve("complete");
        if (Files.exists(complete) && Files.readString(complete).equals(wanted)) {
            System.out.println("== " + name + ": results of an earlier run");
            return run;
        }
        Command.of("rm", "-rf", folder).output();
        Files.createDirectories(folder);
        Path log = folder.resolve("jtreg.log");
        System.out.println("== " + name + ": running, log in " + log);
        List<String> words = new ArrayList<>(command);
        words.addAll(List.of("-workDir:" + folder.resolve("work"), "-reportDir:" + folder.resolve("report")));
        words.addAll(options);
        words.addAll(tests);
        // TEST_VM_FLAGLESS: the options do not count as flags for @requires vm.flagless.
        ProcessBuilder jtreg = new ProcessBuilder(words).redirectErrorStream(true).redirectOutput(log.toFile());
        jtreg.environment().put("TEST_VM_FLAGLESS", "true");
        int status = jtreg.start().waitFor();
        // 0 all passed, 1 nothing selected, 2 some failed, 3 some could not run
        if (status != 0 && status != 2 && status != 3) {
            throw new IOException("jtreg ended with " + status + ", see " + log);
        }
        if (run.tests(true).isEmpty() && run.tests(false).isEmpty()) {
            throw new IOException("no results in " + folder);
        }
        Files.writeString(complete, wanted);
        return run;
    }

    /** {@return the tests that passed, or those that did not; an error is a failure} */
    Set<String> tests(boolean passed) throws IOException {
        Set<String> tests = new TreeSet<>();
        Matcher line = RESULT.matcher(Files.readString(folder.resolve("report/text/summary.txt")));
        while (line.find()) {
            if (line.group(2).equals("Passed") == passed) {
                tests.add(line.group(1));
            }
        }
        return tests;
    }

    /** What the agent saw: the process, the provider's class and the selector's, of each selector that was opened. */
    private List<String[]> opened() throws IOException {
        Path log = folder.resolve("opened.log");
        return Files.exists(log) ? Files.readAllLines(log).stream().map(line -> line.split("\t")).toList() : List.of();
    }

    String described() throws IOException {
        Map<String, Long> counts = opened().stream().collect(
                Collectors.groupingBy(line -> line[2] + " of " + line[1], TreeMap::new, Collectors.counting()));
        long machines = opened().stream().map(line -> line[0]).distinct().count();
        StringBuilder all = new StringBuilder(
                name + ": " + opened().size() + " selectors opened in " + machines + " VMs");
        counts.forEach((what, count) -> all.append(String.format("%n%10d  %s", count, what)));
        return all.toString();
    }

    /** {@return whether it opened selectors of its provider, of a class that the other run did not open} */
    boolean provesMoreThan(JtregRun other) throws IOException {
        Map<String, String> others = new HashMap<>();
        other.opened().forEach(line -> others.put(line[2], line[1]));
        return opened().stream().anyMatch(line -> line[1].equals(name) && !others.containsKey(line[2]));
    }
}
