// SPDX-License-Identifier: Apache-2.0
package dev.pollux.documentation;

import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** All metrics, as the rules of docs/prometheus.yml have them, and as a page that Prometheus scrapes has them. */
public final class MetricsTable {
    /** Of a name that several rules have, the first. */
    private static final Pattern RULE = Pattern.compile("    name: (?:&\\w+ )?(pollux_\\w+)\\n(?:    (?!help).*\\n)*"
            + "    help: (?:&\\w+ )?\"?(.+?)\"?\\n    type: (\\w+)");

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
        return RULE.matcher(Page.of("docs/prometheus.yml").text().replaceAll("\n {6,}", " ")).results()
                .map(rule -> new Metric(rule.group(1), rule.group(3).toLowerCase(Locale.ROOT), rule.group(2)))
                .collect(Collectors.toList());
    }

    /** {@return the comments that a scrape has of these metrics, sorted} */
    public static List<String> comments() {
        return rows().stream().flatMap(metric -> Stream.of("# HELP " + metric.name() + ' ' + metric.help(),
                "# TYPE " + metric.name() + ' ' + metric.type())).sorted().collect(Collectors.toList());
    }
}
