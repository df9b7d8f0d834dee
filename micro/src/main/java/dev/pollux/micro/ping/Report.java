// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.ping;

import dev.pollux.micro.harness.Spread;
import dev.pollux.micro.harness.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/** The table of one mode, and whether the wanted figures were reached. Used by one thread. */
final class Report {
    /** What is wanted of a selector that spins, between two threads, against the JDK's. */
    private static final double MOST_P50 = 0.6;
    private static final double MOST_P99 = 1.0;

    private final List<String> ways;
    private final List<Integer> spins;
    private final List<Result> results;

    Report(List<String> ways, List<Integer> spins, List<Result> results) {
        this.ways = ways;
        this.spins = spins;
        this.results = results;
    }

    void print(Mode mode) {
        boolean base = ways.contains(Way.JDK);
        Table table = new Table("way", "p1, us", "p50, us", "p99, us", "p99.9, us", "trips/s", "processor us/trip",
                "p50 / JDK's selector", "p99 / JDK's selector", "trips / JDK's selector");
        for (String way : ways) {
            table.add(way, median(way, Sample::p1), median(way, Sample::p50), median(way, Sample::p99),
                    median(way, Sample::p999), median(way, Sample::perSecond), median(way, Sample::processor),
                    base ? ratio(way, Sample::p50).text(2) : "-", base ? ratio(way, Sample::p99).text(2) : "-",
                    base ? ratio(way, Sample::perSecond).text(2) : "-");
        }
        System.out.printf("%n%s; this machine has %d processors%n%s%n%n",
                mode.title(), Runtime.getRuntime().availableProcessors(), table);
        if (base && mode != Mode.ONE) {
            spins.stream().map(Way::spinning).filter(ways::contains).forEach(this::judge);
        }
    }

    private void judge(String way) {
        verdict(way + " p50 / JDK's selector", ratio(way, Sample::p50), MOST_P50);
        verdict(way + " p99 / JDK's selector", ratio(way, Sample::p99), MOST_P99);
    }

    private static void verdict(String what, Spread spread, double most) {
        System.out.printf(Locale.ROOT, "%s: %s, wanted: at most %.2f: %s%n", what, spread.text(2), most,
                spread.median() <= most ? "reached" : "MISSED");
    }

    private String median(String way, ToDoubleFunction<Sample> figure) {
        double median = Spread.of(figures(way, figure)).median();
        return String.format(Locale.ROOT, median < 1000 ? "%.1f" : "%.0f", median);
    }

    private Spread ratio(String way, ToDoubleFunction<Sample> figure) {
        return Spread.ofRatios(figures(way, figure), figures(Way.JDK, figure));
    }

    private List<Double> figures(String way, ToDoubleFunction<Sample> figure) {
        List<Double> numbers = new ArrayList<>();
        for (Result result : results) {
            if (result.way().equals(way)) {
                numbers.add(figure.applyAsDouble(result.sample()));
            }
        }
        return numbers;
    }
}
