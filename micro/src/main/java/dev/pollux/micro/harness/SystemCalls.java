// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.harness;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/** Counts the system calls of all threads of a process with {@code strace -c -f}. Not thread-safe. */
public final class SystemCalls {
    private final Path summary = Files.createTempFile("pollux-micro-", ".strace");
    private final Process strace;

    /**
     * Begins to count those of a running process: returns once strace is attached to all its threads.
     *
     * @throws IOException if there is no strace, or the system does not permit it
     */
    public SystemCalls(long pid) throws IOException {
        strace = new ProcessBuilder("strace", "-c", "-f", "-o", summary.toString(), "-p", Long.toString(pid))
                .redirectErrorStream(true).start();
        String line = strace.inputReader().readLine();
        if (line == null || !line.contains(" attached")) {
            strace.destroy();
            Files.delete(summary);
            throw new IOException("strace: " + line);
        }
    }

    /** Detaches strace and returns how often each system call was made meanwhile, by name. */
    public Map<String, Double> stop() throws IOException, InterruptedException {
        strace.destroy();
        if (!strace.waitFor(30, TimeUnit.SECONDS)) {
            strace.destroyForcibly();
            throw new IOException("strace does not end");
        }
        return readAndDelete(summary);
    }

    /** Whether there is an strace, and the system permits it. */
    public static boolean canBeCounted() {
        try {
            Command.output(List.of("strace", "-o", "/dev/null", "true"));
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /** Lines such as "12.34 0.012345 1 12345 67 epoll_wait", where the number of errors may be missing. */
    private static Map<String, Double> readAndDelete(Path summary) throws IOException {
        Map<String, Double> calls = new TreeMap<>();
        for (String line : Files.readAllLines(summary)) {
            String[] words = line.strip().split("\\s+");
            String name = words[words.length - 1];
            if (words.length >= 5 && words[3].matches("\\d+") && !name.equals("total")) {
                calls.put(name, Double.valueOf(words[3]));
            }
        }
        Files.delete(summary);
        return calls;
    }
}
