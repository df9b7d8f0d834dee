// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.documentation.MetricsTable;
import dev.pollux.lab.Home;
import dev.pollux.lab.Promtool;
import dev.pollux.loading.program.ScrapedServer;
import io.prometheus.jmx.JavaAgent;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Prometheus' own exporter, with the rules in docs, shows a server that runs on Pollux. */
class PrometheusIT {
    private static final Pattern SAMPLE = Pattern.compile("(pollux_loop_\\w+)\\{(.*)} (\\S+)");

    private static final String SERVER =
            "kind=\"selector\",mechanism=\"epoll\",slot=\"1\"";

    private static final List<String> BOUNDS = List.of("0.001", "0.01", "0.1", "1.0", "10.0", "+Inf");

    private static List<String> scrape(Jdk jdk) throws Exception {
        Path exporter = Home.of(JavaAgent.class);
        String address = "127.0.0.1:" + freePort();
        return Vm.on(jdk).classPath(PolluxJar.path(), PolluxJar.programs()).provider("EPollSelectorProvider")
                .with("-Ddev.pollux.jmx=true", "-javaagent:" + exporter + '=' + address + ":docs/prometheus.yml")
                .with(ScrapedServer.class.getName()).run("http://" + address + "/metrics").succeeds().out().lines()
                .toList();
    }

    private static int freePort() throws Exception {
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return free.getLocalPort();
        }
    }

    @ParameterizedTest
    @MethodSource("dev.pollux.loading.Jdk#all")
    void theExporterShowsEachLoopWithItsLabels(Jdk jdk) throws Exception {
        List<String> page = scrape(jdk);
        TreeMap<String, Double> server = new TreeMap<>();
        for (String line : page) {
            Matcher sample = SAMPLE.matcher(line);
            if (sample.matches() && sample.group(2).equals(SERVER)) {
                server.put(sample.group(1), Double.valueOf(sample.group(3)));
            }
        }
        assertEquals(MetricsTable.comments(), page.stream().filter(line -> line.matches("# \\w+ pollux_.*")).sorted()
                .toList());
        assertEquals(2, server.get("pollux_loop_keys"));
        assertEquals(11, server.get("pollux_loop_ready_total"), "a connection and ten requests");
        assertEquals(2, server.get("pollux_loop_changes_total"));
        assertEquals(0, server.get("pollux_loop_stalled"));
        assertTrue(server.get("pollux_loop_blocked_waits_total") >= 1);
        double blocked = server.get("pollux_loop_blocked_seconds_total");
        double elapsed = server.get("pollux_loop_elapsed_seconds_total");
        assertTrue(blocked > 0.001 && blocked < elapsed && elapsed < 120, blocked + " of " + elapsed);
        assertEquals(1 - blocked / elapsed, server.get("pollux_loop_utilization"), 0.0001);
        double before = 0;
        for (String bound : BOUNDS) {
            double counted = page.stream().map(SAMPLE::matcher).filter(Matcher::matches)
                    .filter(sample -> sample.group(1).equals("pollux_loop_busy_stretches_total")
                            && sample.group(2).equals(SERVER + ",up_to=\"" + bound + '"'))
                    .mapToDouble(sample -> Double.parseDouble(sample.group(3))).findFirst().orElseThrow();
            assertTrue(counted >= before, "up to " + bound + ": " + counted);
            before = counted;
        }
        assertTrue(before >= 10, "it waits before each request");
    }

    /** {@code MetricsTest} looks at the same rules where promtool is missing. */
    @Test
    void promtoolFindsNoFault() throws Exception {
        List<String> page = scrape(Jdk.all().get(0));
        Promtool.assertAccepts(String.join("\n", page) + "\n", "check", "metrics");
    }
}
