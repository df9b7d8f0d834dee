// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.interrupt;

/**
 * What one way showed in one turn.
 *
 * @param cpuSeconds user and system time of the server
 * @param softirqSeconds that of ksoftirqd on the server's processors
 * @param loadSeconds user and system time of the peers
 * @param switches how often one of the server's threads got a processor
 * @param bytes allocated in the server's virtual machine; negative if that is not known
 */
record Sample(String way, int connections, String mode, int round, double requests, double seconds, double cpuSeconds,
        double softirqSeconds, double loadSeconds, double p50Micros, double p99Micros, double p999Micros,
        double switches, double bytes) {
    double perSecond() {
        return requests / seconds;
    }

    double perCpuSecond() {
        return requests / (cpuSeconds + softirqSeconds);
    }

    double switchesPerRequest() {
        return switches / requests;
    }

    double bytesPerRequest() {
        return bytes < 0 ? Double.NaN : bytes / requests;
    }

    double busy() {
        return (cpuSeconds + softirqSeconds) / seconds;
    }

    double loadBusy() {
        return loadSeconds / seconds;
    }
}
