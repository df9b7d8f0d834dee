// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.ring;

import dev.pollux.micro.harness.Child;
import dev.pollux.micro.harness.Limits;
import dev.pollux.micro.harness.Program;
import dev.pollux.micro.harness.SystemCalls;
import dev.pollux.micro.harness.Turns.Result;
import dev.pollux.micro.harness.Turns;
import java.io.IOException;
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
    private static final Map<String, String> DEFAULTS = Map.of("--rounds", "6", "--seconds", "2", "--warm-up", "1.5");

    @Option(names = "--pipes", paramLabel = "N", split = ",", defaultValue = "8,100,1000,8000",
            description = "numbers of pipes, separated by commas")
    private List<Integer> pipes;

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

    public static void main(String[] args) {
        run(new Main(), DEFAULTS, args);
    }

    @Override
    public Integer call() throws IOException {
        check();
        List<Way> ways = Way.all(Child.program("ring"));
        List<String> names = ways.stream().map(Way::name).toList();
        if (only != null) {
            if (!names.containsAll(only)) {
                throw wrong("--only: there are " + String.join(", ", names));
            }
            ways.removeIf(way -> !only.contains(way.name()));
        }
        Plan plan = new Plan(pipes, ways.stream().map(Way::name).toList(), rounds(), seconds(), warmUp(), tokens,
                idle, cpu);
        Map<String, Double> calls = countSystemCalls(plan, ways);
        List<Result<Integer, Sample>> results = Turns.play("ring", plan.rounds(), pipes, ways,
                (count, way) -> way.measure(plan, count).with(calls.get(way.name())));
        new Report(plan, results).print();
        write(plan, results);
        return 0;
    }

    private void check() throws IOException {
        if (Collections.min(pipes) < 2 || tokens < 1 || tokens > Collections.min(pipes)) {
            throw wrong("--pipes must be 2 or more, and --tokens from 1 to the number of pipes");
        }
        checkTurns();
        String problem = Limits.tooFewFiles(2 * Collections.max(pipes));
        if (problem != null) {
            throw wrong(problem);
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
}
