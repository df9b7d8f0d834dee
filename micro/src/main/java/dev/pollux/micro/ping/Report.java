// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.ping;

import dev.pollux.micro.harness.Series;
import dev.pollux.micro.harness.Table;
import dev.pollux.micro.harness.Turns.Result;
import dev.pollux.micro.harness.Turns;
import java.util.List;

/** The table of one mode, and whether the wanted figures were reached. Used by one thread. */
final class Report {
    /** What is wanted of a selector that spins, between two threads, against the JDK's. */
    private static final double MAX_P50 = 0.6;
    private static final double MAX_P99 = 1.0;

    private final List<String> ways;
    private final List<Integer> spins;
    private final List<Result<Mode, Sample>> results;

    Report(List<String> ways, List<Integer> spins, List<Result<Mode, Sample>> results) {
        this.ways = ways;
        this.spins = spins;
        this.results = results;
    }

    void print(Mode mode) {
        Series<Sample> base = Turns.of(results, Way.JDK, mode);
        Table table = new Table("way", "p1, us", "p50, us", "p99, us", "p99.9, us", "trips/s", "processor us/trip",
                "p50 / JDK's selector", "p99 / JDK's selector", "trips / JDK's selector");
        for (String way : ways) {
            Series<Sample> series = Turns.of(results, way, mode);
            table.add(way, series.median(Sample::p1, 1), series.median(Sample::p50, 1), series.median(Sample::p99, 1),
                    series.median(Sample::p999, 1), series.median(Sample::perSecond, 0),
                    series.median(Sample::processor, 1), series.ratio(base, Sample::p50, 2),
                    series.ratio(base, Sample::p99, 2), series.ratio(base, Sample::perSecond, 2));
        }
        System.out.printf("%n%s; this machine has %d processors%n%s%n%n",
                mode.title(), Runtime.getRuntime().availableProcessors(), table);
        if (!base.isEmpty() && mode != Mode.ONE) {
            for (String way : spins.stream().map(Way::spinning).filter(ways::contains).toList()) {
                Series<Sample> series = Turns.of(results, way, mode);
                System.out.println(way + " p50 / JDK's selector: " + series.ratio(base, Sample::p50).atMost(MAX_P50));
                System.out.println(way + " p99 / JDK's selector: " + series.ratio(base, Sample::p99).atMost(MAX_P99));
            }
        }
    }
}
