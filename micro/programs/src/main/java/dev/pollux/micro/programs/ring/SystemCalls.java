// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.programs.ring;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Counts with strace what Java cannot: the system calls of one read. Stateless. */
final class SystemCalls {
    private static final List<String> STRACE = List.of("strace", "-f", "-c", "-e",
            "trace=epoll_wait,epoll_pwait,epoll_pwait2,epoll_ctl,poll,ppoll,read,write");
    private static final int FEW = 1_000;
    private static final int MANY = 5_000;

    private SystemCalls() { }

    /** Whether there is an strace, and the system permits it. */
    static boolean canBeCounted() {
        try {
            Processes.output(List.of("strace", "-o", "/dev/null", "true"));
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /** What starting costs is in both runs, and is not counted. */
    static double perRead(Way way, Plan plan, int pipes) throws IOException {
        return (double) (count(way.reading(plan, pipes, MANY)) - count(way.reading(plan, pipes, FEW))) / (MANY - FEW);
    }

    private static long count(List<String> command) throws IOException {
        Path summary = Files.createTempFile("pollux-ring-", ".strace");
        try {
            List<String> traced = new ArrayList<>(STRACE);
            traced.addAll(List.of("-o", summary.toString()));
            traced.addAll(command);
            Processes.output(traced);
            return total(Files.readAllLines(summary));
        } finally {
            Files.delete(summary);
        }
    }

    /** The line "100.00 0.012345 1 12345 67 total", where the number of errors may be missing. */
    private static long total(List<String> lines) throws IOException {
        for (String line : lines) {
            String[] words = line.strip().split("\\s+");
            if (words[words.length - 1].equals("total")) {
                return Long.parseLong(words[3]);
            }
        }
        throw new IOException("strace made no summary");
    }
}
