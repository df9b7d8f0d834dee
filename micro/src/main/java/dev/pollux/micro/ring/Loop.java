// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.ring;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.concurrent.TimeUnit;

/**
 * The measured virtual machine: "poller|selector IDLE PIPES TOKENS WARM-UP SECONDS" runs for that time and prints a
 * {@link Sample} as JSON; "poller|selector IDLE PIPES TOKENS READS" makes that many reads.
 */
final class Loop {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private Loop() { }

    public static void main(String[] args) throws IOException {
        try (Ring ring = args[0].equals("poller") ? new PollerRing(Idle.valueOf(args[1])) : new SelectorRing()) {
            ring.make(Integer.parseInt(args[2]), Integer.parseInt(args[3]));
            if (args.length == 5) {
                ring.turn(Long.parseLong(args[4]));
            } else {
                ring.run(nanos(args[4]));
                System.out.println(Way.JSON.toJson(measure(ring, nanos(args[5]))));
            }
            ring.end();
        }
    }

    private static Sample measure(Ring ring, long nanos) throws IOException {
        long start = System.nanoTime();
        long startCpu = THREADS.getCurrentThreadCpuTime();
        long reads = ring.run(nanos);
        long cpu = THREADS.getCurrentThreadCpuTime() - startCpu;
        return new Sample((System.nanoTime() - start) / 1e9, cpu / 1e9, reads, null);
    }

    private static long nanos(String seconds) {
        return (long) (Double.parseDouble(seconds) * TimeUnit.SECONDS.toNanos(1));
    }
}
