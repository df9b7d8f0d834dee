// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.harness;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * The user and system time of a process at one moment, from proc(5). It holds the time of each thread in nanoseconds
 * (schedstat), and that of all threads, ended ones too, in steps of 10 ms. Immutable.
 */
public final class ProcessorTime {
    /** The kernel shows times in hundredths of a second, whatever its own clock does: USER_HZ. */
    private static final long TICK_MILLIS = 10;

    private final Map<String, Long> threads = new HashMap<>();
    private final Map<String, Long> turns = new HashMap<>();
    private final long coarse;

    private ProcessorTime(Path process) throws IOException {
        try (DirectoryStream<Path> tasks = Files.newDirectoryStream(process.resolve("task"))) {
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
        String line = Files.readString(process.resolve("stat"));
        // Field 2 is a name in brackets that may contain anything; 14 and 15 are the times.
        String[] fromThird = line.substring(line.lastIndexOf(')') + 2).split(" ");
        long ticks = Long.parseLong(fromThird[11]) + Long.parseLong(fromThird[12]);
        coarse = TimeUnit.MILLISECONDS.toNanos(ticks * TICK_MILLIS);
    }

    /** That of a process now. */
    public static ProcessorTime of(long pid) throws IOException {
        return new ProcessorTime(proc(pid));
    }

    private static Path proc(long pid) {
        return Path.of("/proc", Long.toString(pid));
    }

    /** Nanoseconds since then: exact unless a thread ended meanwhile, whose last time only the coarse sum has. */
    public long since(ProcessorTime then) {
        if (!threads.keySet().containsAll(then.threads.keySet())) {
            return coarse - then.coarse;
        }
        return sum(threads, then.threads);
    }

    /** Nanoseconds so far of all threads that are there. */
    private long nanos() {
        return sum(threads, Map.of());
    }

    /** How often a thread got a processor since then: so many context switches to this process there were. */
    public long switchesSince(ProcessorTime then) {
        return sum(turns, then.turns);
    }

    private static long sum(Map<String, Long> now, Map<String, Long> then) {
        return now.entrySet().stream()
                .mapToLong(thread -> thread.getValue() - then.getOrDefault(thread.getKey(), 0L)).sum();
    }

    /**
     * Nanoseconds so far of ksoftirqd, which takes over the kernel's work for sockets when there is much of it: a
     * server's work that its own time lacks. In a container it may be hidden: then there are none.
     *
     * @param all on all processors; else on the first
     */
    public static long ofSoftInterrupts(boolean all) throws IOException {
        long sum = 0;
        for (Map.Entry<String, Long> thread : Daemons.BY_NAME.entrySet()) {
            sum += all || thread.getKey().equals("ksoftirqd/0") ? of(thread.getValue()).nanos() : 0;
        }
        return sum;
    }

    /** The threads named ksoftirqd, looked up once. */
    private static final class Daemons {
        static final Map<String, Long> BY_NAME = ProcessHandle.allProcesses().map(ProcessHandle::pid)
                .filter(pid -> nameOf(pid).startsWith("ksoftirqd/"))
                .collect(Collectors.toMap(Daemons::nameOf, pid -> pid));

        private static String nameOf(long pid) {
            try {
                return Files.readString(proc(pid).resolve("comm")).strip();
            } catch (IOException ended) {
                return "";
            }
        }
    }

    /** Memory of a process that is in RAM. */
    public static long residentBytes(long pid) throws IOException {
        for (String line : Files.readAllLines(proc(pid).resolve("status"))) {
            if (line.startsWith("VmRSS:")) {
                return Long.parseLong(line.replaceAll("\\D", "")) * 1024;
            }
        }
        throw new IOException("no VmRSS in /proc/" + pid + "/status");
    }
}
