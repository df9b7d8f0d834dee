// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.ping;

import dev.pollux.micro.harness.Child;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** Who is at the ends of the connection. */
enum Mode {
    ONE("In one thread, for which everything is there already when it waits"),
    /** They may share a processor if the other one is busy. Then switching threads takes the time, not waking them. */
    TWO("Between two threads, where the system puts them"),
    PINNED("Between two threads, each bound to a processor of its own");

    /** The names of the threads. */
    static final String PINGER = "pinger";
    static final String PONGER = "ponger";

    final String title;

    Mode(String title) {
        this.title = title;
    }

    /** Binds each thread to its processor, by taskset(1), if that is wanted: Java has no call for it. See proc(5). */
    void bind() throws IOException {
        if (this == PINNED) {
            bind(PINGER, 0);
            bind(PONGER, 1);
        }
    }

    private static void bind(String thread, int processor) throws IOException {
        try (Stream<Path> tasks = Files.list(Path.of("/proc/self/task"))) {
            for (Path task : tasks.toList()) {
                if (Files.readString(task.resolve("comm")).strip().equals(thread)) {
                    Child.output(List.of("taskset", "-c", "-p", "" + processor, task.getFileName().toString()));
                    return;
                }
            }
        }
        throw new IOException("there is no thread " + thread);
    }

    /** The word on the command line. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
