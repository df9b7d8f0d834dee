// SPDX-License-Identifier: Apache-2.0
package dev.pollux.demo;

import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** What was measured of one application with one provider. Latencies in nanoseconds. */
record Row(String application, String provider, List<String> serverSelectors, List<String> clientSelectors,
        int connections, long requests, long errors, double perSecond, long p50, long p99,
        double callsPerRequest, String noCalls) {

    private static final String FORMAT = "%-14s %-52s %5s %8s %6s %10s %7s %7s %14s";

    static String head() {
        return String.format(FORMAT, "application", "selector class x live instances (server)", "conn.", "requests",
                "errors", "requests/s", "p50 us", "p99 us", "sys calls/req.");
    }

    @Override
    public String toString() {
        return String.format(Locale.ROOT, FORMAT, application, String.join(", ", serverSelectors), connections, requests,
                errors, String.format(Locale.ROOT, "%.0f", perSecond), micros(p50), micros(p99),
                noCalls == null ? String.format(Locale.ROOT, "%.2f", callsPerRequest) : "n/a");
    }

    private static String micros(long nanos) {
        return String.format(Locale.ROOT, "%.0f", nanos / 1e3);
    }

    /** Whether both machines have selectors, and only such of the provider that was asked for. */
    boolean rightSelectors() {
        String wanted = provider == null ? "sun.nio.ch." : "dev.pollux.";
        return !serverSelectors.isEmpty() && !clientSelectors.isEmpty()
                && Stream.concat(serverSelectors.stream(), clientSelectors.stream()).allMatch(name -> name.startsWith(wanted));
    }
}
