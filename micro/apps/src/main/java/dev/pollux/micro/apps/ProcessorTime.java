// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.apps;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The user and system time of a process at one moment: that of each thread in nanoseconds (schedstat), and that of all,
 * ended threads included, in hundredths of a second (stat). Immutable.
 */
final class ProcessorTime {
    /** The kernel shows times in hundredths of a second, whatever its own clock does: USER_HZ. */
    private static final long TICK_MILLIS = 10;

    private final Map<String, Long> threads = new HashMap<>();
    private final long coarse;

    private ProcessorTime(Path process) throws IOException {
        try (DirectoryStream<Path> tasks = Files.newDirectoryStream(process.resolve("task"))) {
            for (Path task : tasks) {
                try {
                    String line = Files.readString(task.resolve("schedstat"));
                    threads.put(task.getFileName().toString(), Long.valueOf(line.substring(0, line.indexOf(' '))));
                } catch (NoSuchFileException ended) {
                    // Between the listing and now: it counts as ended.
                    continue;
                }
            }
        }
        // See proc(5): fields 14 and 15; field 2 is a name in brackets that may contain anything.
        String line = Files.readString(process.resolve("stat"));
        String[] fromThird = line.substring(line.lastIndexOf(')') + 2).split(" ");
        coarse = TimeUnit.MILLISECONDS.toNanos((Long.parseLong(fromThird[11]) + Long.parseLong(fromThird[12])) * TICK_MILLIS);
    }

    static ProcessorTime of(long pid) throws IOException {
        return new ProcessorTime(Path.of("/proc", Long.toString(pid)));
    }

    /** Nanoseconds since then: exact unless a thread ended meanwhile, whose last time only the coarse sum has. */
    long since(ProcessorTime then) {
        if (!threads.keySet().containsAll(then.threads.keySet())) {
            return coarse - then.coarse;
        }
        return threads.entrySet().stream()
                .mapToLong(thread -> thread.getValue() - then.threads.getOrDefault(thread.getKey(), 0L)).sum();
    }
}
