// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.ring;

import dev.pollux.micro.harness.Series;
import dev.pollux.micro.harness.Spread;
import dev.pollux.micro.harness.Table;
import dev.pollux.micro.harness.Turns.Result;
import dev.pollux.micro.harness.Turns;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** The table, and whether the wanted figures were reached. Used by one thread. */
final class Report {
    private static final int SMALL = 8;
    private static final int LARGE = 1000;

    private final Plan plan;
    private final List<Result<Integer, Sample>> results;

    /** Reads per second, of the clock that the plan says. */
    private final ToDoubleFunction<Sample> speed;

    Report(Plan plan, List<Result<Integer, Sample>> results) {
        this.plan = plan;
        this.results = results;
        this.speed = plan.cpu() ? Sample::perCpuSecond : Sample::perSecond;
    }

    void print() {
        Table table = new Table("way", "pipes", "reads/s", "reads/CPU s", "system calls/read", "/ " + Way.FLOOR,
                "/ " + Way.C);
        for (int pipes : plan.pipes()) {
            Series<Sample> floor = Turns.of(results, Way.FLOOR, pipes);
            Series<Sample> c = Turns.of(results, Way.C, pipes);
            for (String way : plan.ways()) {
                Series<Sample> series = Turns.of(results, way, pipes);
                table.add(way, pipes, series.median(Sample::perSecond, 0), series.median(Sample::perCpuSecond, 0),
                        series.median(Sample::calls, 2), series.ratio(floor, speed, 3), series.ratio(c, speed, 3));
            }
        }
        System.out.printf("%nRatios of %s time; this machine has %d processors%n%s%n%n",
                plan.cpu() ? "processor" : "elapsed", Runtime.getRuntime().availableProcessors(), table);
        for (int pipes : plan.pipes()) {
            judge(Way.C, pipes, Way.FLOOR, pipes, 0.97);
            judge(Way.POLLER, pipes, Way.FLOOR, pipes, 0.85);
            judge(Way.POLLUX, pipes, Way.FLOOR, pipes, 0.70);
        }
        for (String way : List.of(Way.FLOOR, Way.C, Way.POLLER, Way.POLLUX, Way.JDK)) {
            judge(way, LARGE, way, SMALL, 0.85);
        }
        judge(Way.C, LARGE, Way.C_POLL, LARGE, 100);
    }

    /** Prints the ratio if both were measured. */
    private void judge(String way, int pipes, String base, int basePipes, double least) {
        Spread ratio = Turns.of(results, way, pipes).ratio(Turns.of(results, base, basePipes), speed);
        if (ratio != null) {
            System.out.printf("%s, %d pipes / %s, %d pipes: %s%n", way, pipes, base, basePipes, ratio.atLeast(least));
        }
    }
}
