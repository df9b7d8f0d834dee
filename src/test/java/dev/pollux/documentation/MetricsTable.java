// SPDX-License-Identifier: Apache-2.0
package dev.pollux.documentation;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The table of all metrics in docs/monitoring.md, as a page that Prometheus scrapes has it. */
public final class MetricsTable {
    private MetricsTable() {
    }

    /**
     * A row.
     *
     * @param type counter or gauge
     * @param help what HELP says
     */
    record Metric(String name, String type, String help) {
    }

    static List<Metric> rows() {
        return Page.of("docs/monitoring.md").text().lines().filter(line -> line.startsWith("| `pollux_"))
                .map(line -> line.split(" *\\| *"))
                .map(cells -> new Metric(cells[1].replace("`", ""), cells[2], cells[3])).collect(Collectors.toList());
    }

    /** {@return the comments that a scrape has of these metrics, sorted} */
    public static List<String> comments() {
        return rows().stream().flatMap(metric -> Stream.of("# HELP " + metric.name() + ' ' + metric.help(),
                "# TYPE " + metric.name() + ' ' + metric.type())).sorted().collect(Collectors.toList());
    }
}
