// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.contest;

import dev.pollux.micro.harness.Command;
import dev.pollux.micro.harness.SystemCalls;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Counts all system calls of a process: with perf(1), which hardly slows it down, or with strace(1), which knows their
 * names. Used by one thread.
 */
final class CallCounter {
    private static final String EVENT = "raw_syscalls:sys_enter";
    private static final boolean HAS_PERF = hasPerf();

    private final long pid;
    private final boolean byName;

    CallCounter(long pid, boolean byName) {
        this.pid = pid;
        this.byName = byName;
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
    static boolean works(boolean byName) {
        return HAS_PERF && !byName || SystemCalls.canBeCounted();
    }

    /** What is done meanwhile. */
    interface Work {
        void run() throws IOException;
    }

    /** How many there are while some work is done, by name or in one sum. */
    Map<String, Double> count(Work work) throws IOException, InterruptedException {
        if (byName || !HAS_PERF) {
            SystemCalls calls = new SystemCalls(pid);
            work.run();
            return calls.stop();
        }
        Path counted = Files.createTempFile("pollux-micro-", ".perf");
        Process perf = new ProcessBuilder("perf", "stat", "-x", ",", "-o", counted.toString(), "-e", EVENT, "-p",
                Long.toString(pid)).inheritIO().start();
        try {
            // It says nothing when it has begun.
            TimeUnit.MILLISECONDS.sleep(500);
            work.run();
            // On this signal alone it writes what it counted.
            Command.output(List.of("kill", "-INT", Long.toString(perf.pid())));
            perf.waitFor();
            return new HashMap<>(Map.of("all", read(counted)));
        } finally {
            perf.destroy();
            Files.delete(counted);
        }
    }

    /** A line such as "12345,,raw_syscalls:sys_enter,1000,100.00,,". */
    private static double read(Path counted) throws IOException {
        for (String line : Files.readAllLines(counted)) {
            if (line.contains(EVENT)) {
                return Double.parseDouble(line.substring(0, line.indexOf(',')));
            }
        }
        throw new IOException("perf counted nothing");
    }
}
