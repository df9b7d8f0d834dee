// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.interrupt;

import dev.pollux.micro.harness.Command;
import dev.pollux.micro.harness.SystemCalls;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Counts all system calls of a process: with perf(1), which hardly slows it down, else with strace(1). Used by one
 * thread.
 */
final class CallCounter {
    private static final String EVENT = "raw_syscalls:sys_enter";
    private static final boolean HAS_PERF = hasPerf();

    private final long pid;
    private final Path counted = Files.createTempFile("pollux-micro-", ".perf");

    CallCounter(long pid) throws IOException {
        this.pid = pid;
    }

    private static boolean hasPerf() {
        try {
            Command.output(List.of("perf", "stat", "-o", "/dev/null", "-e", EVENT, "true"));
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /** Whether there is a way to count, and the system permits it. */
    static boolean works() {
        return HAS_PERF || SystemCalls.canBeCounted();
    }

    /** What is done meanwhile. */
    interface Work {
        void run() throws IOException;
    }

    /** How many there are while some work is done. */
    double count(Work work) throws IOException, InterruptedException {
        if (!HAS_PERF) {
            SystemCalls calls = new SystemCalls(pid);
            work.run();
            return SystemCalls.sum(calls.stop());
        }
        Process perf = new ProcessBuilder("perf", "stat", "-x", ",", "-o", counted.toString(), "-e", EVENT, "-p",
                Long.toString(pid)).inheritIO().start();
        try {
            // It says nothing when it has begun.
            TimeUnit.MILLISECONDS.sleep(500);
            work.run();
            // On this signal alone it writes what it counted.
            Command.output(List.of("kill", "-INT", Long.toString(perf.pid())));
            perf.waitFor();
            return read();
        } finally {
            perf.destroy();
            Files.delete(counted);
        }
    }

    /** A line such as "12345,,raw_syscalls:sys_enter,1000,100.00,,". */
    private double read() throws IOException {
        for (String line : Files.readAllLines(counted)) {
            if (line.contains(EVENT)) {
                return Double.parseDouble(line.substring(0, line.indexOf(',')));
            }
        }
        throw new IOException("perf counted nothing");
    }
}
