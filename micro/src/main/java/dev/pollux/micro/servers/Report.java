// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.servers;

import dev.pollux.micro.harness.Spread;
import dev.pollux.micro.harness.Table;
import java.io.PrintStream;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/** The results as tables, one for each number of connections, and what was wanted of them. Immutable. */
final class Report {
    private final List<Footprint> footprints;
    private final List<Sample> samples;

    Report(Results results) {
        footprints = results.footprints();
        samples = results.samples();
    }

    void print(PrintStream out) {
        for (int connections : footprints.stream().map(Footprint::connections).distinct().toList()) {
            out.printf("%n%d connections; medians of the rounds [95 %% interval of the median]%n", connections);
            out.println(table(connections));
            for (String way : List.of("pollux", "poller")) {
                compare(out, connections, way, "threads", 2);
                compare(out, connections, way, "jdk", 1);
            }
            for (String way : ways(connections)) {
                if (way.startsWith("oneshot")) {
                    compareWorkers(out, connections, way, way.replace("oneshot", "gang"));
                }
            }
        }
        out.println();
    }

    private Table table(int connections) {
        Table table = new Table("way", "engine", "requests/s", "requests/CPU s", "/ threads", "/ jdk", "p50, us",
                "p99, us", "native KiB", "heap KiB");
        for (String way : ways(connections)) {
            List<Sample> rounds = of(way, connections);
            List<Footprint> sets = footprints.stream()
                    .filter(each -> each.connections() == connections && each.way().equals(way)).toList();
            table.add(way, sets.get(0).engine(), number(rounds, Sample::perSecond),
                    number(rounds, Sample::perCpuSecond), ratio(connections, way, "threads"),
                    ratio(connections, way, "jdk"),
                    number(rounds, Sample::p50Micros), number(rounds, Sample::p99Micros),
                    kibibytes(sets, Footprint::nativeBytes), kibibytes(sets, Footprint::heapBytes));
        }
        return table;
    }

    /** Prints the ratio of requests per second of processor time of two ways, if both were measured. */
    private void compare(PrintStream out, int connections, String way, String base, double wanted) {
        Spread spread = spread(connections, way, base, Sample::perCpuSecond);
        if (spread != null) {
            out.printf(Locale.ROOT, "requests per CPU second, %s / %s: %s, wanted: at least %.2f: %s%n", way, base,
                    spread.text(2), wanted, verdict(spread, wanted));
        }
    }

    /** Several workers may also be faster in elapsed time. */
    private void compareWorkers(PrintStream out, int connections, String way, String base) {
        Spread cpu = spread(connections, way, base, Sample::perCpuSecond);
        if (cpu != null) {
            out.printf(Locale.ROOT, "%s / %s: requests per CPU second %s, requests per second %s%n", way, base,
                    cpu.text(2), spread(connections, way, base, Sample::perSecond).text(2));
        }
    }

    private static String verdict(Spread spread, double wanted) {
        return spread.median() >= wanted ? "reached"
                : spread.high() >= wanted ? "MISSED by less than the noise" : "MISSED";
    }

    private String ratio(int connections, String way, String base) {
        Spread spread = spread(connections, way, base, Sample::perCpuSecond);
        return spread == null ? "-" : spread.text(2);
    }

    private Spread spread(int connections, String way, String base, ToDoubleFunction<Sample> figure) {
        List<Sample> above = of(way, connections);
        List<Sample> below = of(base, connections);
        return above.isEmpty() || below.isEmpty() ? null
                : Spread.ofRatios(numbers(above, figure), numbers(below, figure));
    }

    private List<String> ways(int connections) {
        return footprints.stream().filter(each -> each.connections() == connections).map(Footprint::way).distinct()
                .toList();
    }

    /** One sample for each round, in their order. */
    private List<Sample> of(String way, int connections) {
        return samples.stream().filter(sample -> sample.connections() == connections && sample.way().equals(way))
                .toList();
    }

    private static <T> List<Double> numbers(List<T> measured, ToDoubleFunction<T> figure) {
        return measured.stream().map(figure::applyAsDouble).toList();
    }

    private static String number(List<Sample> rounds, ToDoubleFunction<Sample> figure) {
        return String.format(Locale.ROOT, "%.0f", Spread.of(numbers(rounds, figure)).median());
    }

    private static String kibibytes(List<Footprint> sets, ToDoubleFunction<Footprint> figure) {
        return String.format(Locale.ROOT, "%.1f", Spread.of(numbers(sets, figure)).median() / 1024);
    }
}
