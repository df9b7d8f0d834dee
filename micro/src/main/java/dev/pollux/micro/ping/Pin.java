// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.ping;

import dev.pollux.micro.harness.Command;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Binds threads of this process to processors by taskset(1): Java has no call for it. See proc(5). Stateless. */
final class Pin {
    private static final String ALLOWED = "Cpus_allowed_list:";

    private Pin() { }

    /** What is in the way; null if nothing is. */
    static String problem() throws IOException {
        if (processors().size() < 2) {
            return "two processors are needed";
        }
        try {
            Command.output(List.of("taskset", "--version"));
            return null;
        } catch (IOException e) {
            return "taskset(1) is needed: " + e.getMessage();
        }
    }

    /** Binds each thread to a processor of its own. They are found by their names, which must have been set. */
    static void apart(String one, String other) throws IOException {
        List<Integer> processors = processors();
        bind(one, processors.get(0));
        bind(other, processors.get(1));
    }

    private static void bind(String thread, int processor) throws IOException {
        try (Stream<Path> tasks = Files.list(Path.of("/proc/self/task"))) {
            for (Path task : tasks.toList()) {
                if (Files.readString(task.resolve("comm")).strip().equals(thread)) {
                    Command.output(List.of("taskset", "-c", "-p", "" + processor, task.getFileName().toString()));
                    return;
                }
            }
        }
        throw new IOException("there is no thread " + thread);
    }

    /** The processors that this process may use, from a list such as 0-3,8. */
    private static List<Integer> processors() throws IOException {
        List<Integer> processors = new ArrayList<>();
        for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
            if (line.startsWith(ALLOWED)) {
                for (String range : line.substring(ALLOWED.length()).strip().split(",")) {
                    String[] ends = range.split("-");
                    for (int at = Integer.parseInt(ends[0]); at <= Integer.parseInt(ends[ends.length - 1]); at++) {
                        processors.add(at);
                    }
                }
            }
        }
        return processors;
    }
}
