// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.contest;

/**
 * What one way of a server showed in one turn.
 *
 * @param cpuSeconds user and system time of the server
 * @param softirqSeconds that of ksoftirqd on the server's processors
 * @param loadSeconds user and system time of the peers
 * @param switches how often one of the server's threads got a processor
 * @param bytes allocated in the server's virtual machine; negative if that is not known
 */
public record Sample(String server, String way, int connections, String mode, int round, double requests,
        double seconds, double cpuSeconds, double softirqSeconds, double loadSeconds, double p50Micros,
        double p99Micros, double p999Micros, double switches, double bytes) implements Results.Shown {
    /** Requests per second. */
    public double perSecond() {
        return requests / seconds;
    }

    /** Requests per second of the server's processor time. */
    public double perCpuSecond() {
        return requests / (cpuSeconds + softirqSeconds);
    }

    /** Processor time of the server for a request. */
    public double cpuMicros() {
        return 1e6 / perCpuSecond();
    }

    /** Context switches to the server. */
    public double switchesPerRequest() {
        return switches / requests;
    }

    /** Bytes allocated; NaN if that is not known. */
    public double bytesPerRequest() {
        return bytes < 0 ? Double.NaN : bytes / requests;
    }

    /** Processors that the server kept busy. */
    public double busy() {
        return (cpuSeconds + softirqSeconds) / seconds;
    }

    /** Processors that its peers kept busy. */
    public double loadBusy() {
        return loadSeconds / seconds;
    }
}
