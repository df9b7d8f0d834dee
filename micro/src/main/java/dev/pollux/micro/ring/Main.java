// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.ring;

import com.sun.management.UnixOperatingSystemMXBean;
import dev.pollux.micro.harness.Program;
import dev.pollux.micro.harness.Progress;
import dev.pollux.micro.harness.SystemCalls;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * The ring of pipes in C and in Java, by each way of waiting. In a round each way has a fresh process for each number
 * of pipes; the next round begins with the next way. Used by one thread.
 */
@Command(name = "micro/ring.sh", description = "A byte runs round a ring of pipes, by each way of waiting for it.")
final class Main extends Program {
    /** What a virtual machine has open besides. */
    private static final int SPARE_FILES = 64;

    @Option(names = "--rounds", paramLabel = "N", defaultValue = "6",
            description = "rounds; ratios are formed within a round")
    private int rounds;

    @Option(names = "--pipes", paramLabel = "N", split = ",", defaultValue = "8,100,1000,8000",
            description = "numbers of pipes, separated by commas")
    private List<Integer> pipes;

    @Option(names = "--seconds", paramLabel = "S", defaultValue = "2", description = "measured in each process")
    private double seconds;

    @Option(names = "--warm-up", paramLabel = "S", defaultValue = "1.5",
            description = "seconds that a virtual machine runs before it is measured")
    private double warmUp;

    @Option(names = "--tokens", paramLabel = "N", defaultValue = "1", description = "bytes that run at a time")
    private int tokens;

    @Option(names = "--idle", paramLabel = "HOW", defaultValue = "modify",
            description = "how C and the Poller keep a writing end quiet: ${COMPLETION-CANDIDATES}")
    private Idle idle;

    @Option(names = "--only", paramLabel = "WAY", split = ",", defaultValue = Option.NULL_VALUE,
            description = "the ways to measure; all if not given")
    private List<String> only;

    @Option(names = "--cpu", description = "form ratios of processor time: for a busy machine")
    private boolean cpu;

    /** Where the script has put {@code micro/ring.c} as a program. */
    @Option(names = "--program", hidden = true, defaultValue = "${env:POLLUX_RING}", required = true)
    private String program;

    public static void main(String[] args) {
        run(new Main(), args);
    }

    @Override
    public Integer call() throws IOException {
        check();
        List<Way> ways = Way.all(program);
        List<String> names = ways.stream().map(Way::name).toList();
        if (only != null) {
            if (!names.containsAll(only)) {
                throw wrong("--only: there are " + String.join(", ", names));
            }
            ways.removeIf(way -> !only.contains(way.name()));
        }
        Plan plan = new Plan(pipes, ways.stream().map(Way::name).toList(), rounds, seconds, warmUp, tokens, idle, cpu);
        Map<String, Double> calls = countSystemCalls(plan, ways);
        List<Result> results = measure(plan, ways, calls);
        new Report(plan, results).print();
        write(plan, results);
        return 0;
    }

    private void check() {
        if (Collections.min(pipes) < 2 || tokens < 1 || tokens > Collections.min(pipes)) {
            throw wrong("--pipes must be 2 or more, and --tokens from 1 to the number of pipes");
        }
        if (rounds < 1 || seconds <= 0 || warmUp <= 0) {
            throw wrong("--rounds, --seconds and --warm-up must be positive");
        }
        checkOpenFiles(2L * Collections.max(pipes) + SPARE_FILES);
    }

    /** The virtual machine has raised its soft limit to the hard one. */
    private void checkOpenFiles(long needed) {
        if (ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system
                && system.getMaxFileDescriptorCount() < needed) {
            throw wrong(needed + " open files are needed, and the hard limit is " + system.getMaxFileDescriptorCount()
                    + ". Ask for fewer --pipes, or raise the limit as root: ulimit -Hn " + needed + ", nofile in"
                    + " /etc/security/limits.conf, LimitNOFILE= of a service, --ulimit nofile= of a container");
        }
    }

    private static Map<String, Double> countSystemCalls(Plan plan, List<Way> ways) throws IOException {
        Map<String, Double> calls = new TreeMap<>();
        if (SystemCalls.canBeCounted()) {
            for (Way way : ways) {
                if (way.java()) {
                    calls.put(way.name(), way.systemCallsPerRead(plan, Collections.min(plan.pipes())));
                }
            }
        }
        return calls;
    }

    private static List<Result> measure(Plan plan, List<Way> ways, Map<String, Double> calls) throws IOException {
        List<Result> results = new ArrayList<>();
        List<Way> order = new ArrayList<>(ways);
        try (Progress progress = new Progress("ring", (long) plan.rounds() * plan.pipes().size() * ways.size())) {
            for (int round = 1; round <= plan.rounds(); round++) {
                for (int pipes : plan.pipes()) {
                    for (Way way : order) {
                        progress.now("round " + round + ", " + pipes + " pipes, " + way.name());
                        Sample sample = way.measure(plan, pipes).with(calls.get(way.name()));
                        results.add(new Result(way.name(), pipes, round, sample));
                        progress.step();
                    }
                }
                Collections.rotate(order, -1);
            }
        }
        return results;
    }
}
