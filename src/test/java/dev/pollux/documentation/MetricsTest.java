// SPDX-License-Identifier: Apache-2.0
package dev.pollux.documentation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.Pollux;
import dev.pollux.lab.Promtool;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.management.ObjectName;
import javax.management.openmbean.CompositeType;
import javax.management.openmbean.SimpleType;
import javax.management.openmbean.TabularData;
import org.junit.jupiter.api.Test;

/**
 * All metrics: what their names and texts must be, and that what asks for metrics, the dashboard and the page's own
 * queries, asks for these alone. {@code PrometheusIT} and the tests of {@code pollux-micrometer} compare them with what
 * a scrape gives.
 */
class MetricsTest {
    private static final Path DASHBOARD = Path.of("docs/grafana.json");
    private static final Path ALERTS = Path.of("docs/prometheus-alerts.yml");

    /** Units that Prometheus has a base unit for. */
    private static final Pattern NO_BASE_UNIT = Pattern.compile("_(s|ms|us|ns|sec|nanos|millis|milliseconds"
            + "|microseconds|nanoseconds|minutes|hours|days|b|kb|mb|gb|kilobytes|megabytes|gigabytes|bits|percent)"
            + "(_|$)");

    private static final Set<String> LABELS = Set.of("copy", "slot", "kind", "mechanism", "up_to");
    private static final Set<String> NO_METRIC = Set.of("loop", "slot", "threadId", "thread", "kind", "mechanism");
    private static final Pattern EXPRESSION = Pattern.compile("\"(?:expr|query)\": \"((?:[^\"\\\\]|\\\\.)*)\"");
    private static final Pattern ALERT = Pattern.compile("^ +expr: (.+)$", Pattern.MULTILINE);
    private static final Pattern NAME = Pattern.compile("\\bpollux_\\w+");

    private static CompositeType columns() throws Exception {
        Pollux.registerMBeans();
        try {
            return ((TabularData) ManagementFactory.getPlatformMBeanServer()
                    .getAttribute(new ObjectName("dev.pollux:type=Loops"), "Loops")).getTabularType().getRowType();
        } finally {
            Pollux.unregisterMBeans();
        }
    }

    private static String metric(String column) {
        return "pollux_loop_" + column.replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT)
                .replaceAll("_nanos$", "_seconds");
    }

    @Test
    void eachMetricSaysWhatItsColumnInJmxSays() throws Exception {
        CompositeType columns = columns();
        Map<String, String> expected = new TreeMap<>();
        for (String column : columns.keySet()) {
            if (!columns.getType(column).equals(SimpleType.STRING) && !NO_METRIC.contains(column)
                    && !column.startsWith("busyStretches")) {
                expected.put(metric(column), columns.getDescription(column).replaceFirst("^Nanoseconds", "Time"));
            }
        }
        Map<String, String> found = new TreeMap<>();
        for (MetricsTable.Metric metric : MetricsTable.rows()) {
            found.put(metric.name().replaceAll("_total$", ""), metric.help());
        }
        assertTrue(found.remove("pollux_loop_busy_stretches").contains("up_to"), "it names its label");
        found.keySet().removeIf(name -> !name.startsWith("pollux_loop_")); // of all loops
        assertEquals(expected, found);
    }

    /** The rules of {@code promtool check metrics}. */
    @Test
    void namesFollowTheRulesOfPrometheus() {
        for (MetricsTable.Metric metric : MetricsTable.rows()) {
            String name = metric.name();
            assertTrue(name.matches("[a-z][a-z_]*"), name + " has other characters than words in lower case");
            assertEquals(metric.type().equals("counter"), name.endsWith("_total"), name + " is a " + metric.type());
            assertTrue(Set.of("counter", "gauge").contains(metric.type()), name + " is a " + metric.type());
            assertFalse(name.matches(".*_(bucket|sum|count|info)"), name + " ends as a histogram's series do");
            assertFalse(name.matches(".*_(counter|gauge|histogram|summary|metric)(_.*|$)"), name + " names a type");
            assertFalse(NO_BASE_UNIT.matcher(name).find(), name + " has another unit than seconds or bytes");
        }
    }

    /** Monitoring shows HELP beside one metric. */
    @Test
    void eachHelpStandsAlone() {
        Set<String> texts = new TreeSet<>();
        for (MetricsTable.Metric metric : MetricsTable.rows()) {
            String help = metric.help();
            assertTrue(help.split(" ").length >= 3, () -> metric.name() + ": " + help);
            assertFalse(help.matches("(?i).*\\b(these|those|them|column)\\b.*"),
                    () -> metric.name() + " refers to another text: " + help);
            assertTrue(texts.add(help), () -> metric.name() + " says what another one says: " + help);
        }
    }

    @Test
    void rulesGiveLabelsThatHistogramsDoNotOwn() throws IOException {
        Set<String> labels = Pattern.compile("\\{(copy:.*?)}").matcher(Files.readString(Path.of("docs/prometheus.yml")))
                .results().flatMap(match -> Pattern.compile("(\\w+): ").matcher(match.group(1)).results())
                .map(label -> label.group(1)).collect(Collectors.toCollection(TreeSet::new));
        assertEquals(new TreeSet<>(LABELS), labels);
    }

    /** Those of the page are in a block, separated by comments. */
    private static List<String> ofPage() {
        String text = Page.of("docs/monitoring.md").text();
        String block = text.substring(text.indexOf("```\n# utilization") + 4);
        return List.of(block.substring(block.indexOf('\n'), block.indexOf("```")).split("(?m)^#.*$"));
    }

    private static List<String> ofDashboard() throws IOException {
        return EXPRESSION.matcher(Files.readString(DASHBOARD)).results()
                .map(found -> found.group(1).replace("\\\"", "\"")).collect(Collectors.toList());
    }

    private static List<String> ofAlerts() throws IOException {
        return ALERT.matcher(Files.readString(ALERTS)).results().map(found -> found.group(1))
                .collect(Collectors.toList());
    }

    private static List<String> queries() throws IOException {
        List<String> all = new ArrayList<>(ofPage());
        all.addAll(ofDashboard());
        all.addAll(ofAlerts());
        return all;
    }

    @Test
    void queriesNameMetricsThatExist() throws IOException {
        Set<String> known = MetricsTable.rows().stream().map(MetricsTable.Metric::name).collect(Collectors.toSet());
        List<String> queries = queries();
        assertTrue(queries.size() >= 40, queries.size() + " queries");
        for (String query : queries) {
            Set<String> named = NAME.matcher(query).results().map(MatchResult::group).collect(Collectors.toSet());
            assertFalse(named.isEmpty() && query.contains("("), query);
            named.removeAll(known);
            assertEquals(Set.of(), named, "in " + query);
        }
    }

    @Test
    void theDashboardShowsEachKindOfTrouble() throws IOException {
        String all = String.join("\n", ofDashboard());
        for (String metric : List.of("loops_open", "loop_blocked_seconds_total", "loop_longest_busy_seconds",
                "loop_stalled", "loop_lost_thread", "loop_blockages_total", "loop_spins_total",
                "loop_wakeup_storms_total", "loop_refusals_total", "loop_refused_keys", "loop_wakeups_total",
                "loop_batches_total")) {
            assertTrue(all.contains("pollux_" + metric), metric);
        }
    }

    /** What a loop can be found to be, other than woken often, which may be healthy. */
    @Test
    void thereIsAnAlertForEachKindOfTrouble() throws Exception {
        String all = String.join("\n", ofAlerts());
        for (String metric : List.of("lost_thread", "blocked", "spins_total", "wakeup_storms_total", "refused_keys")) {
            assertTrue(all.contains("pollux_loop_" + metric), metric);
        }
        Promtool.assertAccepts(Files.readString(ALERTS), "check", "rules", "/dev/stdin");
    }

    /** Grafana's variables stand for a label's values, or for a time. */
    @Test
    void queriesParse() throws Exception {
        StringBuilder rules = new StringBuilder("groups:\n  - name: all\n    rules:\n");
        int i = 0;
        for (String query : queries()) {
            if (!query.startsWith("label_values")) {
                String plain = query.strip().replaceAll("\\$__\\w+", "5m").replaceAll("\\$([a-z]\\w*)", ".*");
                rules.append("      - record: query").append(i++).append("\n        expr: |\n          ")
                        .append(plain.replace("\n", "\n          ")).append('\n');
            }
        }
        Promtool.assertAccepts(rules.toString(), "check", "rules", "/dev/stdin");
    }
}
