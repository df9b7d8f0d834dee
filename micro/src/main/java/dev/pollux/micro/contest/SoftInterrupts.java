// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.contest;

import dev.pollux.micro.harness.ProcessorTime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The time of ksoftirqd, which takes over the kernel's work for sockets when there is much of it: a server's work that
 * its own time lacks. Stateless.
 */
final class SoftInterrupts {
    private static final String NAME = "ksoftirqd/";

    /** The threads, by processor. */
    private static final Map<Integer, Long> THREADS = find();

    private SoftInterrupts() {
    }

    private static Map<Integer, Long> find() {
        Map<Integer, Long> found = new TreeMap<>();
        try (Stream<Path> processes = Files.list(Path.of("/proc"))) {
            for (Path process : processes.filter(each -> each.getFileName().toString().matches("\\d+")).toList()) {
                String name = nameOf(process);
                if (name.startsWith(NAME)) {
                    found.put(Integer.valueOf(name.substring(NAME.length())),
                            Long.valueOf(process.getFileName().toString()));
                }
            }
            return found;
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String nameOf(Path process) throws IOException {
        try {
            return Files.readString(process.resolve("comm")).strip();
        } catch (NoSuchFileException ended) {
            return "";
        }
    }

    /** Those of the first processor, or of all. In a container they may be hidden: then there are none. */
    static List<ProcessorTime> now(boolean all) throws IOException {
        List<ProcessorTime> times = new ArrayList<>();
        for (Map.Entry<Integer, Long> thread : THREADS.entrySet()) {
            if (all || thread.getKey() == 0) {
                times.add(ProcessorTime.of(thread.getValue()));
            }
        }
        return times;
    }

    /** Nanoseconds between two times. */
    static long between(List<ProcessorTime> then, List<ProcessorTime> now) {
        long sum = 0;
        for (int i = 0; i < now.size(); i++) {
            sum += now.get(i).since(then.get(i));
        }
        return sum;
    }
}
