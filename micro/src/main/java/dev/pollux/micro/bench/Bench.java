// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.bench;

import dev.pollux.micro.harness.Child;
import dev.pollux.micro.harness.Program;
import dev.pollux.micro.harness.Rounds;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.BenchmarkList;
import org.openjdk.jmh.runner.BenchmarkListEntry;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.format.OutputFormatFactory;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;
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
    private static final String RECORDING = "-XX:StartFlightRecording:settings=default,disk=false,dumponexit=false";
    /** The end of the labels of the cases that are repeated with options. */
    private static final String WITH_OPTIONS = "RoundTrip 2";

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
            description = "two provider classes to compare instead; Ring and ByteRoundTrip know dev.pollux.Poller too")
    private List<String> ownPairs;

    @Option(names = "--cpu", description = "show processor time instead of elapsed time: for a busy machine")
    private boolean cpu;

    @Option(names = "--virtual", description = "measure in virtual threads (Java 21 or later)")
    private boolean virtual;

    @Option(names = "--pollux-option", paramLabel = "X", defaultValue = "-Ddev.pollux.busypoll=50",
            description = "each " + WITH_OPTIONS + " once more, with this option for Pollux's virtual machine;"
                    + " may be repeated")
    private List<String> options;

    @Option(names = "--recording", description = "each provider beside itself with a recording of JFR: what that costs")
    private boolean recording;

    /** A case on two providers; in some rows the one under test has an option of its own. */
    private record Row(Case what, Pair pair, String option) {
        @Override
        public String toString() {
            return (pair.mechanism() + " " + what.label() + " " + option).strip();
        }
    }

    /** Who is measured, in the order of the first round: the floor and two providers. */
    private enum Side { FLOOR, BASE, OTHER }

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

    private List<Row> rows() throws IOException {
        List<Row> rows = new ArrayList<>();
        for (Pair pair : pairs()) {
            for (Case what : Case.matching(only)) {
                rows.add(new Row(what, pair, recording ? RECORDING : ""));
                if (what.label().endsWith(WITH_OPTIONS)) {
                    options.forEach(option -> rows.add(new Row(what, pair, option)));
                }
            }
        }
        if (rows.isEmpty()) {
            throw wrong("no benchmark matches " + only);
        }
        return rows;
    }

    private List<Pair> pairs() throws IOException {
        try {
            List<Pair> pairs = ownPairs == null ? mechanisms.stream().map(Pair::ofMechanism).toList()
                    : ownPairs.stream().map(Pair::parse).toList();
            if (recording) {
                pairs = pairs.stream().flatMap(pair -> Stream.of(new Pair(pair.mechanism(), pair.base(), pair.base()),
                        new Pair(pair.mechanism(), pair.other(), pair.other()))).toList();
            }
            for (Pair pair : pairs) {
                Waiter.of(pair.base()).close();
                Waiter.of(pair.other()).close();
            }
            return pairs;
        } catch (IllegalArgumentException | IllegalStateException e) {
            throw wrong(e.getMessage());
        }
    }

    private OneFork.Sample measure(Row row, Side side) throws IOException {
        OneFork fork = new OneFork(iterations, seconds, warmUp, virtual);
        try {
            return switch (side) {
                case FLOOR -> floor(row);
                case BASE -> fork.run(row.what, row.pair.base(), "");
                case OTHER -> fork.run(row.what, row.pair.other(), row.option);
            };
        } catch (RunnerException e) {
            throw new IOException(e);
        }
    }

    /** The system calls of a case alone, in C. */
    private OneFork.Sample floor(Row row) throws IOException {
        Map<String, Double> nanos = new HashMap<>();
        Child.output(List.of(Child.program("floor"), row.what.name(), row.pair.mechanism(),
                row.what.load(), "" + Math.round(iterations * seconds * 1e3)))
                .lines().map(line -> line.split(" ")).forEach(word -> nanos.put(word[0], Double.valueOf(word[1])));
        return new OneFork.Sample(nanos, 0.0, 0.0);
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
                case "epoll" -> new Pair(name, Setting.JDK_EPOLL, Setting.POLLUX_EPOLL);
                case "poll" -> new Pair(name, Setting.JDK_POLL, Setting.POLLUX_POLL);
                default -> throw new IllegalArgumentException("no mechanism " + name + ": epoll or poll");
            };
        }

        static Pair parse(String text) {
            String[] words = text.split(":");
            if (words.length != 2) {
                throw new IllegalArgumentException(text + " is not BASE:OTHER");
            }
            return new Pair(text.contains("EPoll") ? "epoll" : "poll", words[0], words[1]);
        }
    }

    /**
     * One benchmark with one value of its size parameter; the provider is still open.
     *
     * @param method the full name that JMH knows
     * @param parameter name of the size parameter, or null if the benchmark has none
     * @param value its value, or an empty string
     */
    record Case(String method, String parameter, String value) {
        private static final List<String> PARAMETERS = List.of("size", "load");

        /** Finds the cases whose {@link #label} matches, in the order of their names. */
        static List<Case> matching(Pattern only) {
            List<Case> cases = new ArrayList<>();
            var quiet = OutputFormatFactory.createFormatInstance(System.err, VerboseMode.SILENT);
            for (BenchmarkListEntry entry : BenchmarkList.defaultList().getAll(quiet, List.of())) {
                cases.addAll(of(entry));
            }
            cases.removeIf(each -> !only.matcher(each.label()).find());
            return cases;
        }

        private static List<Case> of(BenchmarkListEntry entry) {
            List<Case> cases = new ArrayList<>();
            for (String name : PARAMETERS) {
                if (entry.getParams().hasValue() && entry.getParams().get().containsKey(name)) {
                    for (String value : entry.getParams().get().get(name)) {
                        cases.add(new Case(entry.getUsername(), name, value));
                    }
                }
            }
            return cases.isEmpty() ? List.of(new Case(entry.getUsername(), null, "")) : cases;
        }

        /** The simple name of the benchmark's class, which is the floor's name too. */
        String name() {
            String owner = method.substring(0, method.lastIndexOf('.'));
            return owner.substring(owner.lastIndexOf('.') + 1);
        }

        /** Name and value, as in {@code SelectOne 100}. */
        String label() {
            return value.isEmpty() ? name() : name() + " " + value;
        }

        /** Ready and registered channels in the words of the floor program. */
        String load() {
            if (value.isEmpty()) {
                return "0/0";
            }
            return value.contains("/") ? value : "1/" + value;
        }
    }

    /**
     * Measures one case with one provider in one new virtual machine.
     *
     * @param iterations of measuring, each of that many seconds; before them as many take the seconds of warming up
     */
    private record OneFork(int iterations, double seconds, double warmUp, boolean virtual) {
        /**
         * What one fork measured.
         *
         * @param nanos figure, such as {@code wall}, {@code cpu} or {@code p99}, to nanoseconds per operation
         * @param bytes bytes allocated per operation by the measuring thread, null if unknown
         * @param allBytes bytes allocated per operation by the whole virtual machine, JMH's own work included
         */
        record Sample(Map<String, Double> nanos, Double bytes, Double allBytes) {
        }

        /** Makes the JDK's provider classes reachable by name; Pollux needs no flag. */
        private static final String EXPORT = "--add-exports=java.base/sun.nio.ch=ALL-UNNAMED";

        private static final List<String> VIRTUAL = List.of(
                "-Djmh.executor=CUSTOM", "-Djmh.executor.class=" + VirtualThreads.class.getName(),
                "-D" + VirtualThreads.PROPERTY + "=true");

        /** Runs the fork; the option, if it is not empty, is one more for its virtual machine. */
        Sample run(Case what, String provider, String option) throws RunnerException {
            ChainedOptionsBuilder options = new OptionsBuilder()
                    .include(what.method().replace(".", "\\.") + "$")
                    .param("provider", provider)
                    .forks(1)
                    .jvmArgs(arguments(option))
                    .warmupIterations(iterations)
                    .warmupTime(TimeValue.milliseconds(Math.round(warmUp * 1e3 / iterations)))
                    .measurementIterations(iterations)
                    .measurementTime(TimeValue.milliseconds(Math.round(seconds * 1e3)))
                    .addProfiler(GCProfiler.class)
                    .addProfiler(Spent.class)
                    .shouldFailOnError(true)
                    .verbosity(VerboseMode.SILENT);
            if (what.parameter() != null) {
                options.param(what.parameter(), what.value());
            }
            return sample(new Runner(options.build()).runSingle());
        }

        private String[] arguments(String option) {
            List<String> arguments = new ArrayList<>(List.of(EXPORT, "-Xmx1g"));
            if (!option.isEmpty()) {
                arguments.add(option);
            }
            if (virtual) {
                arguments.addAll(VIRTUAL);
            }
            if (Runtime.version().feature() >= 24) {        // they warn of what JMH 1.37 and native libraries do
                arguments.addAll(List.of("--sun-misc-unsafe-memory-access=allow",
                        "--enable-native-access=ALL-UNNAMED"));
            }
            return arguments.toArray(String[]::new);
        }

        private static Sample sample(RunResult result) {
            Double bytes = secondary(result, Spent.BYTES);
            Double allBytes = secondary(result, "gc.alloc.rate.norm");
            if (result.getParams().getMode() == Mode.SampleTime) {
                var times = result.getPrimaryResult().getStatistics();
                return new Sample(Map.of("p50", times.getPercentile(50), "p90", times.getPercentile(90),
                        "p99", times.getPercentile(99)), bytes, allBytes);
            }
            // The median of the iterations: one that another process disturbed does not count.
            Map<String, Double> nanos = new HashMap<>(Map.of("wall",
                    result.getPrimaryResult().getStatistics().getPercentile(50)));
            nanos.put("cpu", secondary(result, Spent.CPU));
            return new Sample(nanos, bytes, allBytes);
        }

        private static Double secondary(RunResult result, String name) {
            for (String key : result.getSecondaryResults().keySet()) {
                if (key.endsWith(name)) {
                    double score = result.getSecondaryResults().get(key).getScore();
                    return Double.isNaN(score) ? null : score;
                }
            }
            return null;
        }
    }
}
