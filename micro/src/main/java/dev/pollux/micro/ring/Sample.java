// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.ring;

/**
 * What one process measured. In JSON it has the names of {@code micro/ring.c}.
 *
 * @param systemCallsPerRead null from Java, which cannot count its own
 */
record Sample(double seconds, double cpuSeconds, long reads, Double systemCallsPerRead) {
    /** The same with system calls that strace counted, or null if it could not. Those that C has counted stand. */
    Sample with(Double calls) {
        return systemCallsPerRead != null ? this : new Sample(seconds, cpuSeconds, reads, calls);
    }

    /** NaN if they were not counted. */
    double calls() {
        return systemCallsPerRead == null ? Double.NaN : systemCallsPerRead;
    }

    double perSecond() {
        return reads / seconds;
    }

    double perCpuSecond() {
        return reads / cpuSeconds;
    }
}
