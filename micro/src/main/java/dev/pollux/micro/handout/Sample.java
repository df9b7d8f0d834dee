// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.handout;

/**
 * What one virtual machine measured.
 *
 * @param events     handlers that began
 * @param cpuSeconds of the whole virtual machine
 * @param p50        from ready to the beginning of the handler, in microseconds; so are the others
 */
record Sample(long events, double seconds, double cpuSeconds, double p50, double p99, double max) {
    double perSecond() {
        return events / seconds;
    }

    double perCpuSecond() {
        return events / cpuSeconds;
    }
}
