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
    private final long coarse;

    private ProcessorTime(long pid) throws IOException {
        try (DirectoryStream<Path> tasks = Files.newDirectoryStream(ProcessStatus.proc(pid, "task"))) {
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
        return threads.entrySet().stream()
                .mapToLong(thread -> thread.getValue() - then.threads.getOrDefault(thread.getKey(), 0L)).sum();
    }
}
