// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.ring;

import dev.pollux.micro.harness.Limits;
import dev.pollux.micro.harness.Program;
import dev.pollux.micro.harness.Series;
import dev.pollux.micro.harness.Table;
import dev.pollux.micro.harness.Turns;
import dev.pollux.micro.harness.Turns.Result;
import dev.pollux.micro.ring.Ring.Sample;
import java.io.IOException;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
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
        if (Collections.min(pipes) < 2 || tokens < 1 || tokens > Collections.min(pipes)) {
            throw wrong("--pipes must be 2 or more, and --tokens from 1 to the number of pipes");
        }
        checkTurns();
        refuse("--pipes", Limits.tooFewFiles(2 * Collections.max(pipes)));
        List<Way> ways = chosen(Way.all(), only);
        List<String> names = ways.stream().map(Way::name).toList();
        List<Result<Integer, Sample>> results = Turns.play("ring", rounds, pipes, ways,
                (count, way) -> way.measure(count, tokens, warmUp, seconds), this::save);
        print(names, results);
        write(results);
        return 0;
    }

    private void print(List<String> ways, List<Result<Integer, Sample>> results) {
        ToDoubleFunction<Sample> speed = cpu ? Sample::perCpuSecond : Sample::perSecond;
        Table table = new Table("way", "pipes", "reads/s", "reads/CPU s", "/ " + Way.FLOOR, "/ " + Way.C);
        for (int count : pipes) {
            Series<Sample> floor = Turns.of(results, Way.FLOOR, count);
            Series<Sample> c = Turns.of(results, Way.C, count);
            for (String way : ways) {
                Series<Sample> series = Turns.of(results, way, count);
                table.add(way, count, series.median(Sample::perSecond, 0), series.median(Sample::perCpuSecond, 0),
                        series.ratio(floor, speed, 3), series.ratio(c, speed, 3));
            }
        }
        System.out.printf("%nRatios of %s time; this machine has %d processors%n%s%n%n",
                cpu ? "processor" : "elapsed", Runtime.getRuntime().availableProcessors(), table);
    }
}
