// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.handout;

import dev.pollux.micro.handout.Main.Setting;
import dev.pollux.micro.harness.Series;
import dev.pollux.micro.harness.Spread;
import dev.pollux.micro.harness.Table;
import dev.pollux.micro.harness.Turns.Result;
import dev.pollux.micro.harness.Turns;
import java.util.List;

/** The table of each load, and what one thread alone pays. Used by one thread. */
final class Report {
    private final Plan plan;
    private final List<Result<Setting, Sample>> results;

    Report(Plan plan, List<Result<Setting, Sample>> results) {
        this.plan = plan;
        this.results = results;
    }

    void print() {
        for (Load load : plan.loads()) {
            System.out.printf("%n%s handlers, %d members, all ready all the time; times from ready to handled; batches"
                    + " of %d; medians of the rounds [95 %% interval of the median]; %d processors%n%s%n",
                    load, plan.members(), plan.batch(), Runtime.getRuntime().availableProcessors(), table(load));
        }
        System.out.println();
        if (plan.threads().contains(1)) {
            plan.loads().forEach(this::judge);
        }
    }

    private Table table(Load load) {
        Table table = new Table("way", "threads", "events/s", "events/CPU s", "p50, us", "p99, us", "max, us",
                "events/s / batch", "events/CPU s / batch", "p99 / batch");
        for (int threads : plan.threads()) {
            Series<Sample> batch = of(Way.BATCH, load, threads);
            for (Way way : Way.values()) {
                Series<Sample> series = of(way, load, threads);
                table.add(way.label(), threads, series.median(Sample::perSecond, 0),
                        series.median(Sample::perCpuSecond, 0), series.median(Sample::p50, 0),
                        series.median(Sample::p99, 0), series.median(Sample::max, 0),
                        series.ratio(batch, Sample::perSecond, 2), series.ratio(batch, Sample::perCpuSecond, 2),
                        series.ratio(batch, Sample::p99, 2));
            }
        }
        return table;
    }

    private void judge(Load load) {
        Spread spread = of(Way.ONE, load, 1).ratio(of(Way.BATCH, load, 1), Sample::perCpuSecond);
        System.out.printf("%s handlers, 1 thread: events per CPU second, one at a time / batch: %s: %s%n", load,
                spread.text(2), spread.high() >= 1 ? "costs nothing beyond the noise" : "COSTS SOMETHING");
    }

    private Series<Sample> of(Way way, Load load, int threads) {
        return Turns.of(results, way.name(), new Setting(load, threads));
    }
}
