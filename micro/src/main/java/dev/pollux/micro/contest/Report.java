// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.contest;

import dev.pollux.micro.contest.ContestProgram.Extra;
import dev.pollux.micro.contest.Results.Calls;
import dev.pollux.micro.contest.Results.Sample;
import dev.pollux.micro.contest.Results.Start;
import dev.pollux.micro.harness.Series;
import dev.pollux.micro.harness.Table;
import dev.pollux.tools.common.Spread;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** The results as tables, one for each number of connections and mode. Immutable. */
public final class Report {
    private static final double WORTH_NAMING = 0.01;
    /** With fewer an interval holds the median with less than 95 %. */
    private static final int MIN_ROUNDS = 6;

    private final ContestProgram plan;
    private final Results results;
    private final List<String> bases;

    /** A way and the one that it is compared with. */
    public record Pair(String way, String base) {
    }

    Report(ContestProgram plan, Results results, List<String> bases) {
        this.plan = plan;
        this.results = results;
        this.bases = bases.stream()
                .filter(base -> results.starts().stream().anyMatch(each -> standsFor(base, each.way()))).toList();
    }

    void print(PrintStream out) {
        for (int connections : plan.connections) {
            for (Mode mode : plan.modes) {
                out.printf("%n%d connections, %s; medians of the rounds [95 %% interval of the median]%n%s%n",
                        connections, mode.label(), table(connections, mode.label()));
            }
        }
        out.printf("%nwhat they run on%n%s%n", starts());
        if (plan.asksFor(Extra.CALLS_BY_NAME)) {
            plan.modes.forEach(mode -> printCalls(out, mode.label()));
        }
        out.println();
    }

    /** What was found out of each server, way and number of connections, in the order of measuring. */
    public List<Start> starts(Predicate<Start> wanted) {
        return results.starts().stream().filter(wanted).toList();
    }

    private Series<Sample> samples(String server, String way, int connections, String mode) {
        return new Series<>(results.samples().stream()
                .filter(each -> each.isOf(server, way, connections) && each.mode().equals(mode)).toList());
    }

    private Series<Calls> calls(String server, String way, int connections, String mode) {
        return new Series<>(results.calls().stream()
                .filter(each -> each.isOf(server, way, connections) && each.mode().equals(mode)).toList());
    }

    private List<Start> entries(int connections) {
        Set<String> seen = new HashSet<>();
        return starts(each -> each.connections() == connections && seen.add(each.server() + "," + each.way()));
    }

    private Table table(int connections, String mode) {
        List<Start> entries = entries(connections);
        List<String> heads = new ArrayList<>(List.of("server", "way", "requests/s", "requests/CPU s"));
        bases.forEach(base -> heads.add("/ " + base(entries.get(0).server(), base, connections, mode)));
        heads.addAll(List.of("calls", "switches", "bytes", "p50, us", "p99, us", "p99.9, us", "busy", "peers busy"));
        Table table = new Table(heads.toArray(String[]::new));
        for (Start each : entries) {
            Series<Sample> series = samples(each.server(), each.way(), connections, mode);
            List<Object> row = new ArrayList<>(List.of(each.server(), each.way(), series.median(Sample::perSecond, 0),
                    series.median(Sample::perCpuSecond, 0)));
            for (String name : bases) {
                String base = base(each.server(), name, connections, mode);
                row.add(base.equals(each.way()) ? "" : series.ratio(samples(each.server(), base, connections, mode),
                        Sample::perCpuSecond, 2));
            }
            row.addAll(List.of(calls(each.server(), each.way(), connections, mode).median(Calls::perRequest, 3),
                    series.median(Sample::switchesPerRequest, 3), series.median(Sample::bytesPerRequest, 1),
                    series.median(Sample::p50Micros, 0), series.median(Sample::p99Micros, 0),
                    series.median(Sample::p999Micros, 0), series.median(Sample::busy, 2),
                    series.median(Sample::loadBusy, 2)));
            table.add(row.toArray());
        }
        return table;
    }

    /** The way that a base stands for: itself, or the best of those whose names begin so. */
    private String base(String server, String base, int connections, String mode) {
        return entries(connections).stream().map(Start::way)
                .filter(way -> standsFor(base, way))
                .max(Comparator.comparingDouble(
                        way -> samples(server, way, connections, mode).median(Sample::perCpuSecond)))
                .orElse(base);
    }

    private static boolean standsFor(String base, String way) {
        return way.equals(base) || way.startsWith(base + "-");
    }

    private Table starts() {
        Table table = new Table("server", "way", "connections", "runs on", "natives replaced", "native KiB",
                "heap KiB", "selectors");
        for (int connections : plan.connections) {
            for (Start each : entries(connections)) {
                Series<Start> sets = new Series<>(
                        starts(start -> start.isOf(each.server(), each.way(), connections)));
                table.add(each.server(), each.way(), connections, each.version(),
                        each.replaced().isEmpty() ? 0 : each.replaced().split(", ").length,
                        sets.median(start -> start.nativeBytes() / 1024, 2),
                        sets.median(start -> start.heapBytes() / 1024, 2), String.join(", ", each.selectors()));
            }
        }
        return table;
    }

    private void printCalls(PrintStream out, String mode) {
        out.printf("%nsystem calls per request, %s%n", mode);
        for (Calls each : results.calls()) {
            if (each.mode().equals(mode)) {
                out.printf("%-15s %-8s %5d  %s%n", each.server(), each.way(), each.connections(),
                        each.names().entrySet().stream().filter(name -> name.getValue() >= WORTH_NAMING)
                                .map(name -> String.format(Locale.ROOT, "%s %.3f", name.getKey(), name.getValue()))
                                .collect(Collectors.joining(", ")));
            }
        }
    }

    /** The ratios of those pairs that were measured, and in words what a way gains. */
    public void printRatios(List<Pair> pairs) {
        Table table = new Table("server", "connections", "mode", "way / base", "requests/s", "requests/CPU s",
                "CPU s/request", "calls", "bytes", "p50", "p99", "gains");
        for (String server : results.starts().stream().map(Start::server).distinct().toList()) {
            for (int connections : plan.connections) {
                for (Mode mode : plan.modes) {
                    pairs.forEach(pair -> addRatios(table, server, connections, mode.label(), pair));
                }
            }
        }
        System.out.printf("%nmedians of the ratios of the rounds [95 %% interval]%n%s%n", table);
    }

    private void addRatios(Table table, String server, int connections, String mode, Pair pair) {
        Series<Sample> way = samples(server, pair.way(), connections, mode);
        Series<Sample> base = samples(server, pair.base(), connections, mode);
        Spread work = way.ratio(base, Sample::perCpuSecond);
        if (!Double.isNaN(work.median())) {
            table.add(server, connections, mode, pair.way() + " / " + pair.base(),
                    way.ratio(base, Sample::perSecond, 2), work.text(2), way.ratio(base, Sample::cpuMicros, 3),
                    calls(server, pair.way(), connections, mode)
                            .ratio(calls(server, pair.base(), connections, mode), Calls::perRequest, 3),
                    way.ratio(base, Sample::bytesPerRequest, 3), way.ratio(base, Sample::p50Micros, 3),
                    way.ratio(base, Sample::p99Micros, 3),
                    base.samples().size() < MIN_ROUNDS ? "too few rounds to tell" : work.verdict());
        }
    }
}
