// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.bench;

import dev.pollux.micro.bench.OneFork.Sample;
import dev.pollux.micro.harness.Child;
import dev.pollux.micro.harness.Program;
import dev.pollux.micro.harness.Rounds;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.openjdk.jmh.runner.RunnerException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Rounds over all cases, one fork of each side after the other. Used by one thread. */
@Command(description = "Single operations of a selector on the JDK's providers and on Pollux's,"
        + " beside the same system calls in C.")
public final class Bench extends Program {
    private static final Map<String, String> QUICK = Map.of("--rounds", "3", "--iterations", "3", "--seconds", "0.2",
            "--warm-up", "0.6");
    private static final Map<String, String> FULL = Map.of("--rounds", "5", "--iterations", "5", "--seconds", "0.5",
            "--warm-up", "2.5");
    /** The label of the case that is repeated with options. */
    private static final String WITH_OPTIONS = "WakeupRoundTrip 2";

    @Parameters(arity = "0..1", paramLabel = "quick|full", defaultValue = "quick",
            description = "quick has short forks and 3 rounds, full has long forks and 5 rounds")
    private String length;

    @Option(names = "--iterations", paramLabel = "N", description = "measured turns of a fork; their median counts")
    private int iterations;

    @Option(names = "--only", paramLabel = "REGEX", defaultValue = "",
            description = "benchmarks to run, such as 'SelectOne 1000$|Wakeup'")
    private Pattern only;

    @Option(names = "--mechanism", paramLabel = "NAME", defaultValue = "epoll,poll", split = ",",
            description = "epoll or poll")
    private List<String> mechanisms;

    @Option(names = "--pair", paramLabel = "BASE:OTHER", defaultValue = Option.NULL_VALUE,
            description = "two provider classes to compare instead")
    private List<String> ownPairs;

    @Option(names = "--cpu", description = "show processor time instead of elapsed time: for a busy machine")
    private boolean cpu;

    @Option(names = "--virtual", description = "measure in virtual threads (Java 21 or later)")
    private boolean virtual;

    @Option(names = "--pollux-option", paramLabel = "X", defaultValue = "-Ddev.pollux.spin=50",
            description = WITH_OPTIONS + " once more, with this option for Pollux's virtual machine; may be repeated")
    private List<String> options;

    @Option(names = "--other-option", paramLabel = "X", defaultValue = "",
            description = "an option for the second provider's virtual machine in all rows, such as one of JFR's")
    private String otherOption;

    /** A case on two providers; in some rows the one under test has an option of its own. */
    private record Row(Case what, Pair pair, String option) {
        @Override
        public String toString() {
            return (pair.mechanism() + " " + what.label() + " " + option).strip();
        }
    }

    /** Who is measured, in the order of the first round: C through glibc's wrappers and without them, and providers. */
    private enum Side { LIBC, BASE, OTHER, RAW }

    @Override
    public Map<String, String> defaults(List<String> words) {
        return words.contains("full") ? FULL : QUICK;
    }

    @Override
    public Integer call() throws IOException {
        checkTurns();
        checkPositive("--iterations", List.of(iterations));
        if (virtual && cpu) {
            throw wrong("--cpu can't be had with --virtual: no JDK measures the processor time of a virtual thread");
        }
        List<Row> rows = rows();
        write(Rounds.play("bench", this, rows, List.of(Side.values()), this::measure).results());
        return 0;
    }

    private List<Row> rows() {
        List<Row> rows = new ArrayList<>();
        for (Pair pair : pairs()) {
            for (Case what : Case.matching(only)) {
                rows.add(new Row(what, pair, otherOption));
                if (what.label().equals(WITH_OPTIONS)) {
                    options.forEach(option -> rows.add(new Row(what, pair, option)));
                }
            }
        }
        if (rows.isEmpty()) {
            throw wrong("no benchmark matches " + only);
        }
        return rows;
    }

    private List<Pair> pairs() {
        try {
            List<Pair> pairs = ownPairs == null ? mechanisms.stream().map(Pair::ofMechanism).toList()
                    : ownPairs.stream().map(Pair::parse).toList();
            for (Pair pair : pairs) {
                Providers.named(pair.base());
                Providers.named(pair.other());
            }
            return pairs;
        } catch (IllegalArgumentException | IllegalStateException e) {
            throw wrong(e.getMessage());
        }
    }

    private Sample measure(Row row, Side side) throws IOException {
        OneFork fork = new OneFork(iterations, seconds, warmUp, virtual);
        try {
            return switch (side) {
                case LIBC -> floor(row, "libc");
                case RAW -> floor(row, "raw");
                case BASE -> fork.run(row.what, row.pair.base(), "");
                case OTHER -> fork.run(row.what, row.pair.other(), row.option);
            };
        } catch (RunnerException e) {
            throw new IOException(e);
        }
    }

    /** The system calls of a case alone, in C. */
    private Sample floor(Row row, String calls) throws IOException {
        Map<String, Double> nanos = new HashMap<>();
        Child.output(List.of(Child.program("floor"), row.what.name(), row.pair.mechanism(),
                calls, row.what.load(), "" + Math.round(iterations * seconds * 1e3)))
                .lines().map(line -> line.split(" ")).forEach(word -> nanos.put(word[0], Double.valueOf(word[1])));
        return new Sample(nanos, 0.0, 0.0);
    }

    /**
     * Two providers that are compared, and the mechanism whose floor stands beside them.
     *
     * @param mechanism {@code epoll} or {@code poll}
     * @param base class name of the provider that counts as 1
     * @param other class name of the provider whose ratio is wanted
     */
    private record Pair(String mechanism, String base, String other) {
        /** A mechanism of Pollux against its counterpart in the JDK. */
        static Pair ofMechanism(String name) {
            return switch (name) {
                case "epoll" -> new Pair(name, Providers.JDK_EPOLL, Providers.POLLUX_EPOLL);
                case "poll" -> new Pair(name, Providers.JDK_POLL, Providers.POLLUX_POLL);
                default -> throw new IllegalArgumentException("no mechanism " + name + ": epoll or poll");
            };
        }

        static Pair parse(String text) {
            String[] words = text.split(":");
            if (words.length != 2) {
                throw new IllegalArgumentException(text + " is not BASE:OTHER");
            }
            return new Pair(words[1].contains("EPoll") ? "epoll" : "poll", words[0], words[1]);
        }
    }
}
