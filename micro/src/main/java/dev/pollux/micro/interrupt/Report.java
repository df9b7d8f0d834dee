// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.interrupt;

import dev.pollux.micro.harness.Mode;
import dev.pollux.micro.harness.Numbers;
import dev.pollux.micro.harness.Sample;
import dev.pollux.micro.harness.Spread;
import dev.pollux.micro.harness.Table;
import java.io.PrintStream;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/** The results as tables, one for each number of connections and mode. Immutable. */
final class Report {
    private final Plan plan;
    private final Results results;

    Report(Plan plan, Results results) {
        this.plan = plan;
        this.results = results;
    }

    void print(PrintStream out) {
        for (int connections : plan.connections()) {
            for (Mode mode : plan.modes()) {
                out.printf("%n%s, %d connections, %s; medians of the rounds [95 %% interval of the median]%n",
                        plan.protocol().label(), connections, mode.label());
                out.println(table(connections, mode.label()));
            }
            out.printf("%n%s, %d connections: memory for each%n", plan.protocol().label(), connections);
            out.println(memory(connections));
        }
        out.println();
    }

    private List<String> ways() {
        return results.footprints().stream().map(Footprint::way).distinct().toList();
    }

    private List<Double> numbers(String way, int connections, String mode, ToDoubleFunction<Sample> figure) {
        return results.samples().stream()
                .filter(each -> each.way().equals(way) && each.connections() == connections && each.mode().equals(mode))
                .sorted(Comparator.comparingInt(Sample::round))
                .map(each -> figure.applyAsDouble(each)).toList();
    }

    /** The ways that others are compared with. */
    private List<String> bases(int connections, String mode) {
        String netty = ways().stream().filter(way -> way.startsWith("netty"))
                .max(Comparator.comparingDouble(
                        way -> Numbers.median(numbers(way, connections, mode, Sample::perCpuSecond))))
                .orElse("netty");
        return plan.protocol() == Protocol.MIX ? List.of("netty-nio", "netty-pollux", "netty-epoll")
                : List.of("jdk", netty, "threads");
    }

    private Table table(int connections, String mode) {
        List<String> bases = bases(connections, mode);
        Table table = new Table("way", "requests/s", "requests/CPU s", "/ " + bases.get(0), "/ " + bases.get(1),
                "/ " + bases.get(2), "calls", "switches", "bytes", "p50, us", "p99, us", "p99.9, us", "busy",
                "peers busy");
        for (String way : ways()) {
            table.add(way, median(way, connections, mode, Sample::perSecond, 0),
                    median(way, connections, mode, Sample::perCpuSecond, 0),
                    ratio(way, bases.get(0), connections, mode), ratio(way, bases.get(1), connections, mode),
                    ratio(way, bases.get(2), connections, mode), calls(way, connections, mode),
                    median(way, connections, mode, Sample::switchesPerRequest, 3),
                    median(way, connections, mode, Sample::bytesPerRequest, 1),
                    median(way, connections, mode, Sample::p50Micros, 0),
                    median(way, connections, mode, Sample::p99Micros, 0),
                    median(way, connections, mode, Sample::p999Micros, 0),
                    median(way, connections, mode, Sample::busy, 2),
                    median(way, connections, mode, Sample::loadBusy, 2));
        }
        return table;
    }

    private String median(String way, int connections, String mode, ToDoubleFunction<Sample> figure, int decimals) {
        return text(Numbers.median(numbers(way, connections, mode, figure)), decimals);
    }

    private static String text(double number, int decimals) {
        return Double.isNaN(number) ? "" : String.format(Locale.ROOT, "%." + decimals + "f", number);
    }

    private String ratio(String way, String base, int connections, String mode) {
        List<Double> below = numbers(base, connections, mode, Sample::perCpuSecond);
        return way.equals(base) || below.isEmpty() ? ""
                : Spread.ofRatios(numbers(way, connections, mode, Sample::perCpuSecond), below).text(2);
    }

    private String calls(String way, int connections, String mode) {
        return results.calls().stream()
                .filter(each -> each.way().equals(way) && each.connections() == connections && each.mode().equals(mode))
                .map(each -> text(each.perRequest(), 3)).findFirst().orElse("");
    }

    private Table memory(int connections) {
        Table table = new Table("way", "runs on", "native KiB", "heap KiB");
        for (String way : ways()) {
            List<Footprint> sets = results.footprints().stream()
                    .filter(each -> each.way().equals(way) && each.connections() == connections).toList();
            table.add(way, sets.get(0).engine(), kibibytes(sets, Footprint::nativeBytes),
                    kibibytes(sets, Footprint::heapBytes));
        }
        return table;
    }

    private static String kibibytes(List<Footprint> sets, ToDoubleFunction<Footprint> figure) {
        return text(Numbers.median(sets.stream().map(each -> figure.applyAsDouble(each)).toList()) / 1024, 2);
    }
}
