// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.calls;

import dev.pollux.micro.harness.Mode;
import dev.pollux.micro.harness.Numbers;
import dev.pollux.micro.harness.Sample;
import dev.pollux.micro.harness.Table;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/** The results as tables, one for each number of connections and mode. Immutable. */
final class Report {
    /** The sides that a ratio is told of, where both were measured. */
    private static final List<List<Side>> PAIRS = List.of(List.of(Side.AUTO, Side.JDK), List.of(Side.OFF, Side.JDK),
            List.of(Side.AUTO, Side.OFF), List.of(Side.WRITES, Side.JDK), List.of(Side.WRITES, Side.AUTO),
            List.of(Side.ALL, Side.JDK), List.of(Side.ALL, Side.AUTO),
            List.of(Side.EPOLL, Side.JDK), List.of(Side.IO_URING, Side.JDK));

    private final Plan plan;
    private final Results results;

    Report(Plan plan, Results results) {
        this.plan = plan;
        this.results = results;
    }

    void print(PrintStream out) {
        out.printf("%nJDK %s; spec_rstack_overflow: %s%n", Runtime.version(), results.mitigation());
        for (int connections : plan.connections()) {
            for (Mode mode : plan.modes()) {
                out.printf("%n%d connections, %s; requests per second of the server's processor time, medians of the"
                        + " ratios of the rounds [min..max]%n", connections, mode.label());
                out.println(table(connections, mode.label()));
            }
        }
        out.println(starts());
        out.println(reason());
    }

    private String reason() {
        boolean replaced = results.starts().stream().anyMatch(each -> !each.replaced().isEmpty());
        return replaced ? "The kernel makes returns from system calls expensive here; Pollux covers them (auto)."
                : "No call is replaced here: java -jar pollux.jar says why, and docs/calls.md what that means.";
    }

    private Table table(int connections, String mode) {
        List<String> heads = new ArrayList<>(List.of("server", "jdk/CPU s"));
        PAIRS.stream().filter(this::isThere).forEach(pair -> heads.add(pair.get(0).label() + " / "
                + pair.get(1).label()));
        String sides = String.join(", ", plan.sides().stream().map(Side::label).toList());
        heads.addAll(List.of("requests/s", "p50, us: " + sides, "p99, us: " + sides, "busy", "peers busy"));
        if (plan.countsCalls()) {
            heads.add("system calls/request: " + sides);
        }
        Table table = new Table(heads.toArray(String[]::new));
        for (Subject server : plan.servers()) {
            View view = new View(server.label(), connections, mode);
            List<Object> row = new ArrayList<>(List.of(server.label(), view.median(Side.JDK, Sample::perCpuSecond)));
            PAIRS.stream().filter(this::isThere).forEach(pair -> row.add(view.ratio(pair.get(0), pair.get(1))));
            row.addAll(List.of(view.median(Side.JDK, Sample::perSecond), view.medians(Sample::p50Micros),
                    view.medians(Sample::p99Micros), view.median(Side.JDK, Sample::busy, 2),
                    view.median(Side.JDK, Sample::loadBusy, 2)));
            if (plan.countsCalls()) {
                row.add(view.calls());
            }
            table.add(row.toArray());
        }
        return table;
    }

    private boolean isThere(List<Side> pair) {
        return plan.sides().containsAll(pair);
    }

    /** The versions, and how many natives are replaced; the file of figures names them. */
    private Table starts() {
        Table table = new Table("server", "version", "natives replaced with auto");
        for (Subject server : plan.servers()) {
            results.starts().stream()
                    .filter(each -> each.server().equals(server.label()) && each.side().equals(Side.AUTO.label()))
                    .findFirst().ifPresent(each -> table.add(each.server(), each.version(),
                            each.replaced().isEmpty() ? 0 : each.replaced().split(", ").length));
        }
        return table;
    }

    /** What one server showed at a number of connections in a mode. */
    private final class View {
        private final String server;
        private final int connections;
        private final String mode;

        View(String server, int connections, String mode) {
            this.server = server;
            this.connections = connections;
            this.mode = mode;
        }

        List<Double> numbers(Side side, ToDoubleFunction<Sample> figure) {
            return results.turns().stream().filter(each -> each.server().equals(server)).map(Turn::sample)
                    .filter(each -> each.way().equals(side.label()) && each.connections() == connections
                            && each.mode().equals(mode))
                    .sorted(Comparator.comparingInt(Sample::round)).map(each -> figure.applyAsDouble(each)).toList();
        }

        /** System calls of a request, on each side. */
        String calls() {
            return String.join(", ", plan.sides().stream().map(side -> String.format(Locale.ROOT, "%.2f",
                    Numbers.median(results.counted().stream()
                            .filter(each -> each.server().equals(server) && each.side().equals(side.label())
                                    && each.connections() == connections)
                            .map(Counted::perRequest).toList()))).toList());
        }

        String ratio(Side above, Side below) {
            List<Double> ratios = Numbers.ratios(numbers(above, Sample::perCpuSecond),
                    numbers(below, Sample::perCpuSecond));
            return String.format(Locale.ROOT, "%.2f [%.2f..%.2f]", Numbers.median(ratios), Numbers.min(ratios),
                    Numbers.max(ratios));
        }

        String median(Side side, ToDoubleFunction<Sample> figure) {
            return median(side, figure, 0);
        }

        String median(Side side, ToDoubleFunction<Sample> figure, int decimals) {
            return String.format(Locale.ROOT, "%." + decimals + "f", Numbers.median(numbers(side, figure)));
        }

        String medians(ToDoubleFunction<Sample> figure) {
            return String.join(", ", plan.sides().stream().map(side -> median(side, figure)).toList());
        }
    }
}
