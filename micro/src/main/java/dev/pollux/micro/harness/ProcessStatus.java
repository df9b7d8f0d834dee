// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.harness;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** What /proc tells of a process; see proc(5). Stateless. */
public final class ProcessStatus {
    /** The kernel shows times in hundredths of a second, whatever its own clock does: USER_HZ. */
    private static final long TICK_MILLIS = 10;

    private ProcessStatus() {
    }

    /** User and system time so far, of all threads, ended ones too: nanoseconds, in steps of 10 ms. */
    public static long cpuNanos(long pid) throws IOException {
        String line = Files.readString(proc(pid, "stat"));
        // Field 2 is a name in brackets that may contain anything; 14 and 15 are the times.
        String[] fromThird = line.substring(line.lastIndexOf(')') + 2).split(" ");
        long ticks = Long.parseLong(fromThird[11]) + Long.parseLong(fromThird[12]);
        return TimeUnit.MILLISECONDS.toNanos(ticks * TICK_MILLIS);
    }

    /** Memory of the process that is in RAM. */
    public static long residentBytes(long pid) throws IOException {
        for (String line : Files.readAllLines(proc(pid, "status"))) {
            if (line.startsWith("VmRSS:")) {
                return Long.parseLong(line.replaceAll("\\D", "")) * 1024;
            }
        }
        throw new IOException("no VmRSS in /proc/" + pid + "/status");
    }

    static Path proc(long pid, String file) {
        return Path.of("/proc", Long.toString(pid), file);
    }
}
