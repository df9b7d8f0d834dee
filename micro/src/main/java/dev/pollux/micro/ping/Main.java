// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.ping;

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
 * Round trips of a small message over one TCP connection on loopback, by each way of waiting for it, in one thread and
 * between two. In a round each way has a fresh virtual machine; the next round begins with the next way. Used by one
 * thread.
 */
@Command(name = "micro/ping.sh", description = "Latency and throughput of one connection, by each way of waiting.")
final class Main extends Program {
    private static final int LARGEST = 1 << 14;

    @Option(names = "--rounds", paramLabel = "N", defaultValue = "6",
            description = "rounds; ratios are formed within a round")
    private int rounds;

    @Option(names = "--seconds", paramLabel = "S", defaultValue = "2", description = "measured in each virtual machine")
    private double seconds;

    @Option(names = "--warm-up", paramLabel = "S", defaultValue = "1.5",
            description = "seconds that a virtual machine runs before it is measured")
    private double warmUp;

    @Option(names = "--size", paramLabel = "BYTES", defaultValue = "32", description = "size of a message")
    private int size;

    @Option(names = "--spin", paramLabel = "US", split = ",", defaultValue = "50",
            description = "microseconds that Pollux spins for; each makes a way")
    private List<Integer> spins;

    @Option(names = "--only", paramLabel = "WAY", split = ",", defaultValue = Option.NULL_VALUE,
            description = "the ways to measure; all if not given")
    private List<String> only;

    @Option(names = "--modes", paramLabel = "MODE", split = ",", defaultValue = "one,two,pinned",
            description = "one (one thread at both ends), two (a thread at each end), pinned (each on its own"
                    + " processor)")
    private List<Mode> modes;

    /** What was asked for; it goes into the file of figures. */
    private record Plan(int rounds, double seconds, double warmUp, int size, List<Integer> spins, List<String> ways) {
    }

    public static void main(String[] args) {
        run(new Main(), args);
    }

    @Override
    public Integer call() throws IOException {
        List<Way> ways = new ArrayList<>(Way.all(spins));
        check(ways);
        if (only != null) {
            ways.removeIf(way -> !only.contains(way.name()));
        }
        List<String> names = ways.stream().map(Way::name).toList();
        List<Result> results = measure(ways);
        for (Mode mode : modes) {
            new Report(names, spins, results.stream().filter(result -> result.mode() == mode).toList()).print(mode);
        }
        write(new Plan(rounds, seconds, warmUp, size, spins, names), results);
        return 0;
    }

    private void check(List<Way> ways) throws IOException {
        if (size < 1 || size > LARGEST) {
            throw wrong("--size: 1 to " + LARGEST + " bytes, which a socket takes at once");
        }
        if (rounds < 1 || seconds <= 0 || warmUp < 0) {
            throw wrong("--rounds and --seconds must be positive, and --warm-up not negative");
        }
        String problem = modes.contains(Mode.PINNED) ? Pin.problem() : null;
        if (problem != null) {
            throw wrong("--modes pinned: " + problem);
        }
        List<String> names = ways.stream().map(Way::name).toList();
        if (only != null && !names.containsAll(only)) {
            throw wrong("--only: there are " + String.join(", ", names));
        }
    }

    private List<Result> measure(List<Way> ways) throws IOException {
        List<Result> results = new ArrayList<>();
        List<Way> order = new ArrayList<>(ways);
        try (Progress progress = new Progress("ping", (long) rounds * modes.size() * ways.size())) {
            for (int round = 1; round <= rounds; round++) {
                for (Mode mode : modes) {
                    for (Way way : order) {
                        progress.now("round " + round + ", " + mode + ", " + way.name());
                        results.add(new Result(way.name(), mode, round, sample(way, mode)));
                        progress.step();
                    }
                }
                Collections.rotate(order, -1);
            }
        }
        return results;
    }

    private Sample sample(Way way, Mode mode) throws IOException {
        try (JavaProcess child = way.start()) {
            String question = way.kind() + " " + mode.name() + " " + size + " " + millis(warmUp) + " "
                    + millis(seconds);
            return new Gson().fromJson(child.ask(question), Sample.class);
        }
    }

    private static long millis(double duration) {
        return Math.round(duration * 1e3);
    }
}
