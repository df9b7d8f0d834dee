// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.servers;

/**
 * What one way showed in one round.
 *
 * @param cpuSeconds user and system time of the server's virtual machine
 */
record Sample(String way, int connections, int round, int requests, double seconds, double cpuSeconds, double p50Micros,
        double p99Micros) {
    double perSecond() {
        return requests / seconds;
    }

    double perCpuSecond() {
        return requests / cpuSeconds;
    }
}
