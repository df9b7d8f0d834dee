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
@Command(name = "micro/handout.sh", description = "What it costs and gains that a Poller hands out one ready member at "
        + "a time: events per second, and the time from ready to handled.")
final class Main extends Program {
    @Option(names = "--rounds", description = "rounds; ratios are made within each", defaultValue = "10")
    private int rounds;

    @Option(names = "--threads", split = ",", description = "numbers of threads in await", defaultValue = "1,2,4,8,16")
    private List<Integer> threads;

    @Option(names = "--loads", split = ",", defaultValue = "short,long",
            description = "handlers: short ones, or some long ones among them (every 16th blocks for 5 ms)")
    private List<Load> loads;

    @Option(names = "--members", description = "one-shot members, all ready all the time", defaultValue = "64")
    private int members;

    @Option(names = "--batch", description = "room in the arrays of the other way", defaultValue = "8")
    private int batch;

    @Option(names = "--seconds", description = "measured in each virtual machine", defaultValue = "1")
    private double seconds;

    @Option(names = "--warm-up", description = "seconds before those", defaultValue = "1.5")
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
