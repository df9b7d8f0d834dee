// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.harness;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * The user and system time of a process at one moment. It holds the time of each thread in nanoseconds (schedstat), and
 * that of all threads, ended ones too, in steps of 10 ms ({@link ProcessStatus}). Immutable.
 */
public final class ProcessorTime {
    private final Map<String, Long> threads = new HashMap<>();
    private final Map<String, Long> turns = new HashMap<>();
    private final long coarse;

    private ProcessorTime(long pid) throws IOException {
        try (DirectoryStream<Path> tasks = Files.newDirectoryStream(ProcessStatus.proc(pid, "task"))) {
            for (Path task : tasks) {
                try {
                    String line = Files.readString(task.resolve("schedstat"));
                    String[] numbers = line.strip().split(" ");
                    String thread = task.getFileName().toString();
                    threads.put(thread, Long.valueOf(numbers[0]));
                    turns.put(thread, Long.valueOf(numbers[2]));
                } catch (NoSuchFileException ended) {
                    // Between the listing and now: it counts as ended.
                    continue;
                }
            }
        }
        coarse = ProcessStatus.cpuNanos(pid);
    }

    /** That of a process now. */
    public static ProcessorTime of(long pid) throws IOException {
        return new ProcessorTime(pid);
    }

    /** Nanoseconds since then: exact unless a thread ended meanwhile, whose last time only the coarse sum has. */
    public long since(ProcessorTime then) {
        if (!threads.keySet().containsAll(then.threads.keySet())) {
            return coarse - then.coarse;
        }
        return sum(threads, then.threads);
    }

    /** How often a thread got a processor since then: so many context switches to this process there were. */
    public long switchesSince(ProcessorTime then) {
        return sum(turns, then.turns);
    }

    private static long sum(Map<String, Long> now, Map<String, Long> then) {
        return now.entrySet().stream()
                .mapToLong(thread -> thread.getValue() - then.getOrDefault(thread.getKey(), 0L)).sum();
    }
}
