// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.contest;

import dev.pollux.micro.harness.ProcessorTime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
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

    /** Nanoseconds so far on the first processor, or on all. In a container it may be hidden: then there are none. */
    static long nanos(boolean all) throws IOException {
        long sum = 0;
        for (Map.Entry<Integer, Long> thread : THREADS.entrySet()) {
            sum += all || thread.getKey() == 0 ? ProcessorTime.of(thread.getValue()).nanos() : 0;
        }
        return sum;
    }
}
