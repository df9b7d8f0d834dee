// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.ping;

import dev.pollux.micro.harness.Child;
import dev.pollux.micro.harness.Program;
import dev.pollux.micro.harness.Rounds;
import dev.pollux.micro.harness.Series;
import dev.pollux.micro.harness.Table;
import dev.pollux.micro.ping.Pinger.Sample;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Round trips of a small message over one TCP connection on loopback, by each way of waiting for it, in one thread and
 * between two. In a round each way has a fresh virtual machine; the next round begins with the next way. Used by one
 * thread.
 */
@Command(description = "Latency and throughput of one connection, by each way of waiting.")
public final class Ping extends Program {
    private static final int LARGEST = 1 << 14;
    private static final String JDK = "selector-jdk";
    private static final String SPINNING = "selector-pollux-spin-";

    @Option(names = "--size", paramLabel = "BYTES", defaultValue = "32", description = "size of a message")
    private int size;

    @Option(names = "--spin", paramLabel = "US", split = ",", defaultValue = "50",
            description = "microseconds that Pollux polls for before it blocks; each makes a way")
    private List<Integer> spins;

    @Option(names = "--only", paramLabel = "WAY", split = ",", defaultValue = Option.NULL_VALUE,
            description = "the ways to measure; all if not given")
    private List<String> only;

    @Option(names = "--modes", paramLabel = "MODE", split = ",", defaultValue = "one,two,pinned",
            description = "one (one thread at both ends), two (a thread at each end), pinned (each on its own"
                    + " processor)")
    private List<Mode> modes;

    @Override
    public Map<String, String> defaults(List<String> words) {
        return Map.of("--rounds", "6", "--seconds", "2", "--warm-up", "1.5");
    }

    @Override
    public Integer call() throws IOException {
        if (size < 1 || size > LARGEST) {
            throw wrong("--size: 1 to " + LARGEST + " bytes, which a socket takes at once");
        }
        checkTurns();
        if (modes.contains(Mode.PINNED) && Runtime.getRuntime().availableProcessors() < 2) {
            throw wrong("--modes pinned: two processors are needed");
        }
        List<String> ways = new ArrayList<>(List.of("blocking", "busy", JDK, "selector-pollux"));
        spins.forEach(spin -> ways.add(SPINNING + spin));
        ways.addAll(List.of("asynchronous", "poller"));
        List<String> chosen = chosen(ways, only);
        Rounds<Mode, Sample> results = Rounds.play("ping", this, modes, chosen, this::measure);
        modes.forEach(mode -> print(chosen, results, mode));
        write(results.results());
        return 0;
    }

    private Sample measure(Mode mode, String way) throws IOException {
        List<String> options = new ArrayList<>(way.startsWith("selector-pollux") ? List.of(Child.POLLUX) : List.of());
        if (way.startsWith(SPINNING)) {
            options.add("-Ddev.pollux.busypoll=" + way.substring(SPINNING.length()));
        }
        return Child.measure(Sample.class, Child.java(options, Pinger.class, way.replaceFirst("-.*", ""), mode.name(),
                "" + size, "" + warmUp, "" + seconds));
    }

    private static void print(List<String> ways, Rounds<Mode, Sample> results, Mode mode) {
        Series<Sample> base = results.of(JDK, mode);
        Table table = new Table("way", "p1, us", "p50, us", "p99, us", "p99.9, us", "trips/s", "processor us/trip",
                "p50 / JDK's selector", "p99 / JDK's selector", "trips / JDK's selector");
        for (String way : ways) {
            Series<Sample> series = results.of(way, mode);
            table.add(way, series.median(Sample::p1, 1), series.median(Sample::p50, 1), series.median(Sample::p99, 1),
                    series.median(Sample::p999, 1), series.median(Sample::perSecond, 0),
                    series.median(Sample::processor, 1), series.ratio(base, Sample::p50, 2),
                    series.ratio(base, Sample::p99, 2), series.ratio(base, Sample::perSecond, 2));
        }
        System.out.printf("%n%s; this machine has %d processors%n%s%n%n",
                mode.title, Runtime.getRuntime().availableProcessors(), table);
    }

    /** Who is at the ends of the connection. */
    enum Mode {
        ONE("In one thread, for which everything is there already when it waits"),
        /** They may share a processor if the other is busy. Then switching threads takes the time, not waking them. */
        TWO("Between two threads, where the system puts them"),
        PINNED("Between two threads, each bound to a processor of its own");

        /** The names of the threads. */
        static final String PINGER = "pinger";
        static final String PONGER = "ponger";

        final String title;

        Mode(String title) {
            this.title = title;
        }

        /** Binds each thread to its processor, by taskset(1), if that is wanted: Java has no call for it. */
        void bind() throws IOException {
            if (this == PINNED) {
                bind(PINGER, 0);
                bind(PONGER, 1);
            }
        }

        private static void bind(String thread, int processor) throws IOException {
            try (Stream<Path> tasks = Files.list(Path.of("/proc/self/task"))) {
                for (Path task : tasks.toList()) {
                    if (Files.readString(task.resolve("comm")).strip().equals(thread)) {
                        Child.output(List.of("taskset", "-c", "-p", "" + processor, task.getFileName().toString()));
                        return;
                    }
                }
            }
            throw new IOException("there is no thread " + thread);
        }

        /** The word on the command line. */
        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }
}
