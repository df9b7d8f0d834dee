// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.programs.servers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What /proc tells of a process. Sources: proc(5). Stateless. */
final class Usage {
    /** The kernel shows times in hundredths of a second, whatever its own clock does: USER_HZ. */
    private static final double TICK = 0.01;

    private Usage() {
    }

    /** User and system time so far, of all threads, ended ones too. */
    static double cpuSeconds(long pid) throws IOException {
        String line = Files.readString(proc(pid, "stat"));
        // Field 2 is a name in brackets that may contain anything; 14 and 15 are the times.
        String[] fromThird = line.substring(line.lastIndexOf(')') + 2).split(" ");
        return (Long.parseLong(fromThird[11]) + Long.parseLong(fromThird[12])) * TICK;
    }

    static long residentBytes(long pid) throws IOException {
        for (String line : Files.readAllLines(proc(pid, "status"))) {
            if (line.startsWith("VmRSS:")) {
                return Long.parseLong(line.replaceAll("\\D", "")) * 1024;
            }
        }
        throw new IOException("no VmRSS in /proc/" + pid + "/status");
    }

    private static Path proc(long pid, String file) {
        return Path.of("/proc", Long.toString(pid), file);
    }
}
