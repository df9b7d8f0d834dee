// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.bench;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * Measures one case with one provider in one new virtual machine.
 *
 * @param iterations of measuring, each of that many seconds; before them as many take the seconds of warming up
 */
record OneFork(int iterations, double seconds, double warmUp, boolean virtual) {
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
            arguments.addAll(List.of("--sun-misc-unsafe-memory-access=allow", "--enable-native-access=ALL-UNNAMED"));
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
