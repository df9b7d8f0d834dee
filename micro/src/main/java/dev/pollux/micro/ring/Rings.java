// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.ring;

import dev.pollux.micro.harness.Child;
import dev.pollux.micro.harness.Limits;
import dev.pollux.micro.harness.Program;
import dev.pollux.micro.harness.Rounds;
import dev.pollux.micro.harness.Series;
import dev.pollux.micro.harness.Table;
import dev.pollux.micro.ring.Ring.Sample;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * The ring of pipes in C and in Java, by each way of waiting. In a round each way has a fresh process for each number
 * of pipes. Used by one thread.
 */
@Command(description = "A byte runs round a ring of pipes, by each way of waiting for it.")
public final class Rings extends Program {
    private static final String FLOOR = "c-epoll";
    private static final String C = "c-pollux-epoll";

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

    /** A way of running the ring in a process of its own: the command line up to what {@link #measure} adds. */
    private record Way(String name, List<String> command) {
        @Override
        public String toString() {
            return name;
        }
    }

    @Override
    public Map<String, String> defaults(List<String> words) {
        return Map.of("--rounds", "6", "--seconds", "2", "--warm-up", "1.5");
    }

    @Override
    public Integer call() throws IOException {
        if (Collections.min(pipes) < 2 || tokens < 1 || tokens > Collections.min(pipes)) {
            throw wrong("--pipes must be 2 or more, and --tokens from 1 to the number of pipes");
        }
        checkTurns();
        refuse("--pipes", Limits.tooFewFiles(2 * Collections.max(pipes)));
        List<Way> ways = chosen(ways(), only);
        Rounds<Integer, Sample> results = Rounds.play("ring", this, pipes, ways, this::measure);
        ToDoubleFunction<Sample> speed = cpu ? Sample::perCpuSecond : Sample::perSecond;
        Table table = new Table("way", "pipes", "reads/s", "reads/CPU s", "/ " + FLOOR, "/ " + C);
        for (int count : pipes) {
            for (Way way : ways) {
                Series<Sample> series = results.of(way, count);
                table.add(way, count, series.median(Sample::perSecond, 0), series.median(Sample::perCpuSecond, 0),
                        series.ratio(results.of(FLOOR, count), speed, 3), series.ratio(results.of(C, count), speed, 3));
            }
        }
        System.out.printf("%nRatios of %s time; this machine has %d processors%n%s%n%n",
                cpu ? "processor" : "elapsed", Runtime.getRuntime().availableProcessors(), table);
        write(results.results());
        return 0;
    }

    private List<Way> ways() throws IOException {
        String program = Child.program("ring");
        List<Way> ways = new ArrayList<>(List.of(new Way(FLOOR, List.of(program, "epoll")),
                new Way("c-epoll-raw", List.of(program, "epoll-raw")), new Way("c-poll", List.of(program, "poll"))));
        for (String mechanism : Child.output(List.of(program)).strip().split(",")) {
            ways.add(new Way("c-pollux-" + mechanism, List.of(program, "pollux-" + mechanism)));
        }
        ways.add(new Way("java-poller", Child.java(List.of(), Ring.class, "poller")));
        ways.add(new Way("java-selector-pollux", Child.java(List.of(Child.POLLUX), Ring.class, "selector")));
        ways.add(new Way("java-selector-jdk", Child.java(List.of(), Ring.class, "selector")));
        return ways;
    }

    private Sample measure(int count, Way way) throws IOException {
        List<String> command = new ArrayList<>(way.command);
        command.addAll(List.of("" + count, "" + tokens, "" + warmUp, "" + seconds));
        return Child.measure(Sample.class, command);
    }
}
