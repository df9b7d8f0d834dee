// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.handout;

import dev.pollux.micro.harness.Spread;
import dev.pollux.micro.harness.Table;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/** The table of each load, and what one thread alone pays. Used by one thread. */
final class Report {
    private final Plan plan;
    private final List<Result> results;

    Report(Plan plan, List<Result> results) {
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
            for (Way way : Way.values()) {
                boolean base = way == Way.BATCH;
                table.add(way.label(), threads, median(way, load, threads, Sample::perSecond),
                        median(way, load, threads, Sample::perCpuSecond), median(way, load, threads, Sample::p50),
                        median(way, load, threads, Sample::p99), median(way, load, threads, Sample::max),
                        base ? "1" : ratio(load, threads, Sample::perSecond).text(2),
                        base ? "1" : ratio(load, threads, Sample::perCpuSecond).text(2),
                        base ? "1" : ratio(load, threads, Sample::p99).text(2));
            }
        }
        return table;
    }

    private void judge(Load load) {
        Spread spread = ratio(load, 1, Sample::perCpuSecond);
        System.out.printf("%s handlers, 1 thread: events per CPU second, one at a time / batch: %s: %s%n", load,
                spread.text(2), spread.high() >= 1 ? "costs nothing beyond the noise" : "COSTS SOMETHING");
    }

    private String median(Way way, Load load, int threads, ToDoubleFunction<Sample> figure) {
        return String.format(Locale.ROOT, "%.0f", Spread.of(figures(way, load, threads, figure)).median());
    }

    private Spread ratio(Load load, int threads, ToDoubleFunction<Sample> figure) {
        return Spread.ofRatios(figures(Way.ONE, load, threads, figure), figures(Way.BATCH, load, threads, figure));
    }

    /** One figure for each round, in their order. */
    private List<Double> figures(Way way, Load load, int threads, ToDoubleFunction<Sample> figure) {
        return results.stream()
                .filter(result -> result.way() == way && result.load() == load && result.threads() == threads)
                .map(result -> figure.applyAsDouble(result.sample())).toList();
    }
}
