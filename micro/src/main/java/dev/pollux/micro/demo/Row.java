// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.demo;

import dev.pollux.micro.apps.server.Side;
import java.util.List;
import java.util.Locale;

/**
 * What was measured of one application on one side. Latencies are in nanoseconds.
 *
 * @param notCounted why system calls could not be counted, or null
 */
record Row(String application, Side side, List<String> serverSelectors, List<String> clientSelectors,
        int connections, long requests, long errors, double perSecond, long p50, long p99,
        double callsPerRequest, String notCounted) {

    private static final String FORMAT = "%-14s %-52s %5s %8s %6s %10s %7s %7s %14s";

    static String head() {
        return String.format(FORMAT, "application", "selector class x live instances (server)", "conn.", "requests",
                "errors", "requests/s", "p50 us", "p99 us", "sys calls/req.");
    }

    @Override
    public String toString() {
        return String.format(Locale.ROOT, FORMAT, application, String.join(", ", serverSelectors), connections,
                requests, errors, String.format(Locale.ROOT, "%.0f", perSecond), micros(p50), micros(p99),
                notCounted == null ? String.format(Locale.ROOT, "%.2f", callsPerRequest) : "n/a");
    }

    private static String micros(long nanos) {
        return String.format(Locale.ROOT, "%.0f", nanos / 1e3);
    }

    /** Whether server and client have selectors, all of them the side's. */
    boolean hasRightSelectors() {
        return side.owns(serverSelectors) && side.owns(clientSelectors);
    }
}
