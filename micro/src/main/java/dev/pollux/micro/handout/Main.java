// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.handout;

import com.google.gson.Gson;
import dev.pollux.micro.harness.JavaProcess;
import dev.pollux.micro.harness.Program;
import dev.pollux.micro.harness.Progress;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Handing out one member at a time against batches that their threads hold. In a round each way has a fresh virtual
 * machine for each load and number of threads, the other one first in the next round. Used by one thread.
 */
@Command(name = "micro/handout.sh", description = "What it costs and gains that a Poller hands out one ready member"
        + " at a time: events per second, and the time until a ready member is handled.")
final class Main extends Program {
    @Option(names = "--rounds", paramLabel = "N", defaultValue = "10",
            description = "rounds; ratios are formed within a round")
    private int rounds;

    @Option(names = "--threads", paramLabel = "N", split = ",", defaultValue = "1,2,4,8,16",
            description = "numbers of threads, separated by commas")
    private List<Integer> threads;

    @Option(names = "--loads", paramLabel = "LOAD", split = ",", defaultValue = "short,long",
            description = "short (handlers never block) or long (every 16th handler blocks for 5 ms)")
    private List<Load> loads;

    @Option(names = "--members", paramLabel = "N", defaultValue = "64",
            description = "one-shot members, all ready all the time")
    private int members;

    @Option(names = "--batch", paramLabel = "N", defaultValue = "8",
            description = "members that a thread takes at most in a batch")
    private int batch;

    @Option(names = "--seconds", paramLabel = "S", defaultValue = "1", description = "measured in each virtual machine")
    private double seconds;

    @Option(names = "--warm-up", paramLabel = "S", defaultValue = "1.5",
            description = "seconds that a virtual machine runs before it is measured")
    private double warmUp;

    public static void main(String[] args) {
        run(new Main(), args);
    }

    @Override
    public Integer call() throws IOException {
        if (Collections.min(List.of(rounds, members, batch, Collections.min(threads))) < 1) {
            throw wrong("--rounds, --members, --batch and --threads must be 1 or more");
        }
        if (seconds <= 0 || warmUp < 0) {
            throw wrong("--seconds must be positive, and --warm-up not negative");
        }
        Plan plan = new Plan(loads, threads, members, batch, rounds, seconds, warmUp);
        List<Result> results = measure(plan);
        new Report(plan, results).print();
        write(plan, results);
        return 0;
    }

    private static List<Result> measure(Plan plan) throws IOException {
        List<Result> results = new ArrayList<>();
        List<Way> order = new ArrayList<>(List.of(Way.values()));
        try (Progress progress = new Progress("handout",
                (long) plan.rounds() * plan.loads().size() * plan.threads().size() * order.size())) {
            for (int round = 1; round <= plan.rounds(); round++) {
                for (Load load : plan.loads()) {
                    for (int threads : plan.threads()) {
                        for (Way way : order) {
                            progress.now("round " + round + ", " + load + ", " + threads + " threads, " + way.label());
                            results.add(new Result(way, load, threads, round, sample(plan, way, load, threads)));
                            progress.step();
                        }
                    }
                }
                Collections.rotate(order, 1);
            }
        }
        return results;
    }

    private static Sample sample(Plan plan, Way way, Load load, int threads) throws IOException {
        try (JavaProcess child = new JavaProcess(JavaProcess.quiet(), RaceMain.class)) {
            return new Gson().fromJson(child.ask(way.name() + " " + load.name() + " " + threads + " " + plan.members()
                    + " " + plan.batch() + " " + millis(plan.warmUp()) + " " + millis(plan.seconds())), Sample.class);
        }
    }

    private static long millis(double duration) {
        return Math.round(duration * 1000);
    }
}
