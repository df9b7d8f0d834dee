// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.ping;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * Counts and times round trips: first some for warming up, which are forgotten, then those that are measured.
 *
 * <p>Used by the pinging thread. No allocation after construction, as long as no trip takes longer than a minute.
 */
final class Trips {
    private static final int DIGITS = 3;

    private final Histogram nanos = new Histogram(TimeUnit.MINUTES.toNanos(1), DIGITS);
    private final OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    private final long measured;

    /** When the current trip began, when the measurement began or shall begin, and when it shall end. */
    private long started;
    private long begin;
    private long end;

    private boolean measuring;
    private long processorTime;

    /** What one virtual machine measured. Percentiles and processor time of a round trip are in microseconds. */
    record Sample(double p1, double p50, double p99, double p999, double perSecond, double processor) {
    }

    Trips(long warmUp, long measured) {
        this.measured = measured;
        started = System.nanoTime();
        begin = started + warmUp;
    }

    /** Says that a trip has ended and the next begins; false if there is no time for another. */
    boolean next() {
        long now = System.nanoTime();
        if (measuring) {
            nanos.recordValue(now - started);
        } else if (now - begin >= 0) {
            measuring = true;
            processorTime = system.getProcessCpuTime();
            now = System.nanoTime();
            begin = now;
            end = now + measured;
        }
        started = now;
        return !measuring || now - end < 0;
    }

    /** To be called when the last trip has ended. */
    Sample sample() {
        long count = nanos.getTotalCount();
        double spent = system.getProcessCpuTime() - processorTime;
        return new Sample(micros(1), micros(50), micros(99), micros(99.9), count * 1e9 / (started - begin),
                spent / 1e3 / count);
    }

    private double micros(double percentile) {
        return nanos.getValueAtPercentile(percentile) / 1e3;
    }
}
