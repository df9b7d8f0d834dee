// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.ring;

/** What one process found out; the names in JSON are those of {@code micro/ring.c}. Java cannot count its system calls: null. */
record Sample(double seconds, double cpuSeconds, long reads, Double systemCallsPerRead) {
    /** The same with system calls that were counted from outside, or null if they were not; those counted within stand. */
    Sample with(Double calls) {
        return systemCallsPerRead != null ? this : new Sample(seconds, cpuSeconds, reads, calls);
    }

    double perSecond() {
        return reads / seconds;
    }

    double perCpuSecond() {
        return reads / cpuSeconds;
    }
}
