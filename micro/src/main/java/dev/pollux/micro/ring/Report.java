// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.ring;

import dev.pollux.micro.harness.Spread;
import dev.pollux.micro.harness.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/** The table, and whether the wanted figures were reached. Used by one thread. */
final class Report {
    private static final int SMALL = 8;
    private static final int LARGE = 1000;

    private final Plan plan;
    private final List<Result> results;

    /** Reads per second, of the clock that the plan says. */
    private final ToDoubleFunction<Sample> speed;

    Report(Plan plan, List<Result> results) {
        this.plan = plan;
        this.results = results;
        this.speed = plan.cpu() ? Sample::perCpuSecond : Sample::perSecond;
    }

    void print() {
        Table table = new Table("way", "pipes", "reads/s", "reads/CPU s", "system calls/read", "/ " + Way.FLOOR,
                "/ " + Way.C);
        for (int pipes : plan.pipes()) {
            for (String way : plan.ways()) {
                table.add(way, pipes, median(way, pipes, Sample::perSecond), median(way, pipes, Sample::perCpuSecond),
                        calls(way, pipes), ratio(way, Way.FLOOR, pipes), ratio(way, Way.C, pipes));
            }
        }
        System.out.printf("%nRatios of %s time; this machine has %d processors%n%s%n%n",
                plan.cpu() ? "processor" : "elapsed", Runtime.getRuntime().availableProcessors(), table);
        for (int pipes : plan.pipes()) {
            judge(Way.C, Way.FLOOR, pipes, 0.97);
            judge(Way.POLLER, Way.FLOOR, pipes, 0.85);
            judge(Way.POLLUX, Way.FLOOR, pipes, 0.70);
        }
        if (plan.pipes().containsAll(List.of(SMALL, LARGE))) {
            judgeGrowth();
        }
        judge(Way.C, Way.C_POLL, LARGE, 100);
    }

    private void judge(String way, String base, int pipes, double least) {
        if (has(way, pipes) && has(base, pipes)) {
            verdict(String.format("%s / %s, %d pipes", way, base, pipes), ratio(way, pipes, base, pipes), least);
        }
    }

    private void judgeGrowth() {
        for (String way : List.of(Way.FLOOR, Way.C, Way.POLLER, Way.POLLUX, Way.JDK)) {
            if (plan.ways().contains(way)) {
                verdict(String.format("%s, %d pipes / %d pipes", way, LARGE, SMALL), ratio(way, LARGE, way, SMALL),
                        0.85);
            }
        }
    }

    private static void verdict(String what, Spread spread, double least) {
        System.out.printf(Locale.ROOT, "%s: %s, wanted: at least %.2f: %s%n", what, spread.text(3), least,
                spread.median() >= least ? "reached" : "MISSED");
    }

    private String median(String way, int pipes, ToDoubleFunction<Sample> figure) {
        return String.format(Locale.ROOT, "%.0f", Spread.of(figures(way, pipes, figure)).median());
    }

    private String calls(String way, int pipes) {
        boolean counted = results.stream()
                .noneMatch(result -> result.way().equals(way) && result.sample().systemCallsPerRead() == null);
        if (!counted) {
            return "-";
        }
        double median = Spread.of(figures(way, pipes, Sample::systemCallsPerRead)).median();
        return String.format(Locale.ROOT, "%.2f", median);
    }

    private String ratio(String way, String base, int pipes) {
        return has(base, pipes) ? ratio(way, pipes, base, pipes).text(3) : "-";
    }

    private Spread ratio(String way, int pipes, String base, int basePipes) {
        return Spread.ofRatios(figures(way, pipes, speed), figures(base, basePipes, speed));
    }

    private boolean has(String way, int pipes) {
        return plan.ways().contains(way) && plan.pipes().contains(pipes);
    }

    private List<Double> figures(String way, int pipes, ToDoubleFunction<Sample> figure) {
        List<Double> numbers = new ArrayList<>();
        for (Result result : results) {
            if (result.way().equals(way) && result.pipes() == pipes) {
                numbers.add(figure.applyAsDouble(result.sample()));
            }
        }
        return numbers;
    }
}
