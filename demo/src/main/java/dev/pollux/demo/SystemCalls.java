// SPDX-License-Identifier: Apache-2.0
package dev.pollux.demo;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** Counts the system calls of a running process with {@code strace -c}, from construction to {@link #stop}. */
final class SystemCalls {
    private final Path summary = Files.createTempFile("strace", ".txt");
    private final Process strace;
    private final String refused;

    /** Returns once strace is attached to all threads, or was refused. */
    SystemCalls(long pid) throws IOException {
        strace = new ProcessBuilder("strace", "-c", "-f", "-o", summary.toString(), "-p", Long.toString(pid))
                .redirectErrorStream(true).start();
        BufferedReader said = strace.inputReader();
        String line = said.readLine();
        refused = line != null && line.contains(" attached") ? null : String.valueOf(line);
    }

    /** Why nothing could be counted, or null. */
    String refused() {
        return refused;
    }

    /** Detaches and returns the calls made meanwhile. */
    long stop() throws IOException, InterruptedException {
        strace.destroy();
        if (!strace.waitFor(30, TimeUnit.SECONDS)) {
            strace.destroyForcibly();
            throw new IOException("strace does not end");
        }
        long calls = 0;
        for (String line : Files.readAllLines(summary)) {
            String[] words = line.trim().split("\\s+");
            if (words.length >= 5 && words[3].matches("\\d+") && !words[words.length - 1].equals("total")) {
                calls += Long.parseLong(words[3]);
            }
        }
        Files.delete(summary);
        return calls;
    }
}
