// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.apps;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/** Counts the system calls of a running process with {@code strace -c -f}, from construction to {@link #stop}. */
final class SystemCalls {
    private final Path summary = Files.createTempFile("strace", ".txt");
    private final Process strace;

    /** Returns once strace is attached to all threads. */
    SystemCalls(long pid) throws IOException {
        strace = new ProcessBuilder("strace", "-c", "-f", "-o", summary.toString(), "-p", Long.toString(pid))
                .redirectErrorStream(true).start();
        BufferedReader said = strace.inputReader();
        String line = said.readLine();
        if (line == null || !line.contains(" attached")) {
            throw new IOException("strace: " + line);
        }
    }

    /** Detaches and returns the calls made meanwhile, by name. */
    Map<String, Double> stop() throws IOException, InterruptedException {
        strace.destroy();
        if (!strace.waitFor(30, TimeUnit.SECONDS)) {
            strace.destroyForcibly();
            throw new IOException("strace does not end");
        }
        Map<String, Double> calls = new TreeMap<>();
        for (String line : Files.readAllLines(summary)) {
            String[] words = line.trim().split("\\s+");
            String name = words[words.length - 1];
            if (words.length >= 5 && words[3].matches("\\d+") && !name.equals("total")) {
                calls.put(name, Double.valueOf(words[3]));
            }
        }
        Files.delete(summary);
        return calls;
    }
}
