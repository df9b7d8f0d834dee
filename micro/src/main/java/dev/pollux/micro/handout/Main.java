// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.handout;

import com.google.gson.Gson;
import dev.pollux.micro.harness.JavaProcess;
import dev.pollux.micro.harness.Program;
import dev.pollux.micro.harness.Turns.Result;
import dev.pollux.micro.harness.Turns;
import java.io.IOException;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Handing out one member at a time against batches that their threads hold. In a round each way has a fresh virtual
 * machine for each load and number of threads, the other one first in the next round. Used by one thread.
 */
@Command(name = "micro/handout.sh", description = "What it costs and gains that a Poller hands out one ready member"
        + " at a time: events per second, and the time until a ready member is handled.")
final class Main extends Program {
    private static final Map<String, String> DEFAULTS = Map.of("--rounds", "10", "--seconds", "1", "--warm-up", "1.5");

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

    /** What all ways are measured with. */
    record Setting(Load load, int threads) {
        @Override
        public String toString() {
            return load + ", " + threads + " threads";
        }
    }

    public static void main(String[] args) {
        run(new Main(), DEFAULTS, args);
    }

    @Override
    public Integer call() throws IOException {
        checkTurns();
        checkPositive("--members, --batch and --threads", List.of(members, batch, Collections.min(threads)));
        Plan plan = new Plan(loads, threads, members, batch, rounds(), seconds(), warmUp());
        List<Setting> settings = loads.stream()
                .flatMap(load -> threads.stream().map(count -> new Setting(load, count))).toList();
        List<Result<Setting, Sample>> results = Turns.play("handout", rounds(), settings, List.of(Way.values()),
                this::sample);
        new Report(plan, results).print();
        write(plan, results);
        return 0;
    }

    private Sample sample(Setting setting, Way way) throws IOException {
        try (JavaProcess child = new JavaProcess(JavaProcess.quiet(), RaceMain.class)) {
            return new Gson().fromJson(child.ask(way + " " + setting.load().name() + " " + setting.threads() + " "
                    + members + " " + batch + " " + Math.round(warmUp() * 1e3) + " " + Math.round(seconds() * 1e3)),
                    Sample.class);
        }
    }
}
