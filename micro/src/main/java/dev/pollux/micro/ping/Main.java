// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.ping;

import dev.pollux.micro.harness.Program;
import dev.pollux.micro.harness.Turns.Result;
import dev.pollux.micro.harness.Turns;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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

    private static final Map<String, String> DEFAULTS = Map.of("--rounds", "6", "--seconds", "2", "--warm-up", "1.5");

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
        run(new Main(), DEFAULTS, args);
    }

    @Override
    public Integer call() throws IOException {
        List<Way> ways = new ArrayList<>(Way.all(spins));
        check(ways);
        if (only != null) {
            ways.removeIf(way -> !only.contains(way.name()));
        }
        List<String> names = ways.stream().map(Way::name).toList();
        List<Result<Mode, Sample>> results = Turns.play("ping", rounds(), modes, ways,
                (mode, way) -> way.measure(mode, size, warmUp(), seconds()));
        for (Mode mode : modes) {
            new Report(names, spins, results).print(mode);
        }
        write(new Plan(rounds(), seconds(), warmUp(), size, spins, names), results);
        return 0;
    }

    private void check(List<Way> ways) throws IOException {
        if (size < 1 || size > LARGEST) {
            throw wrong("--size: 1 to " + LARGEST + " bytes, which a socket takes at once");
        }
        checkTurns();
        String problem = modes.contains(Mode.PINNED) ? Pin.problem() : null;
        if (problem != null) {
            throw wrong("--modes pinned: " + problem);
        }
        List<String> names = ways.stream().map(Way::name).toList();
        if (only != null && !names.containsAll(only)) {
            throw wrong("--only: there are " + String.join(", ", names));
        }
    }
}
