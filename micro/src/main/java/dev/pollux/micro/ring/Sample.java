// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.ring;

/** What one process measured. In JSON it has the names of {@code micro/ring.c}. */
record Sample(double seconds, double cpuSeconds, long reads) {
    double perSecond() {
        return reads / seconds;
    }

    double perCpuSecond() {
        return reads / cpuSeconds;
    }
}
