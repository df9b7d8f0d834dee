// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.apps;

/**
 * What is measured of a server, with its name for programs, its name for people, and the greatest ratio wanted. Paced
 * figures come from requests at a fixed rate, below what the server can do; the others from as many as it takes.
 */
enum Figure {
    RATE("requests_per_second", "requests/s", 0, Double.NaN, Double.NaN),
    CPU("cpu_us_per_request", "CPU us/request", 2, 1.02, 0.97),
    CALLS("system_calls_per_request", "system calls/request", 3, 1.02, 0.85),
    P50("p50_us", "p50 us", 0, Double.NaN, Double.NaN),
    P99("p99_us", "p99 us", 0, Double.NaN, Double.NaN),
    BYTES("bytes_per_request", "bytes/request", 0, Double.NaN, Double.NaN),
    PACED_CPU("paced_cpu_us_per_request", "CPU us/request, paced", 2, 1.02, 0.97),
    PACED_CALLS("paced_system_calls_per_request", "calls/request, paced", 3, 1.02, 0.85),
    PACED_P50("paced_p50_us", "p50 us, paced", 0, Double.NaN, Double.NaN),
    PACED_P99("paced_p99_us", "p99 us, paced", 0, Double.NaN, Double.NaN);

    final String key;
    final String label;
    final int decimals;
    private final double limit;
    private final double limitOfThreadPools;

    Figure(String key, String label, int decimals, double limit, double limitOfThreadPools) {
        this.key = key;
        this.label = label;
        this.decimals = decimals;
        this.limit = limit;
        this.limitOfThreadPools = limitOfThreadPools;
    }

    /** The greatest median of Pollux/JDK that is wanted, or NaN. Servers that wake their selectors gain most. */
    double limit(Subject subject) {
        return subject.threadPool ? limitOfThreadPools : limit;
    }
}
