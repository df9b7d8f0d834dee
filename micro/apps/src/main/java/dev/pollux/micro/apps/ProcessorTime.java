// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.apps;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/** The user and system time of all threads of a process, ended ones included. */
final class ProcessorTime {
    /** The kernel shows times in hundredths of a second, whatever its own clock does: USER_HZ. */
    private static final long TICK_MILLIS = 10;

    private ProcessorTime() {
    }

    /** See proc(5): fields 14 and 15 of the line, the second of which is a name in brackets that may contain anything. */
    static Duration of(long pid) throws IOException {
        String line = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
        String[] fromThird = line.substring(line.lastIndexOf(')') + 2).split(" ");
        return Duration.ofMillis((Long.parseLong(fromThird[11]) + Long.parseLong(fromThird[12])) * TICK_MILLIS);
    }
}
