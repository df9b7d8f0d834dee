// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.contest;

import dev.pollux.micro.harness.Child;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * Counts the system calls of all threads of a process: with perf(1), which hardly slows it down, or with strace(1),
 * which knows their names. Stateless.
 */
final class CallCounter {
    private static final String EVENT = "raw_syscalls:sys_enter";
    private static final boolean HAS_PERF = runs("perf", "stat", "-o", "/dev/null", "-e", EVENT, "true");

    private CallCounter() {
    }

    private static boolean runs(String... command) {
        try {
            Child.output(List.of(command));
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /** Whether there is a way to count, and the system permits it. */
    static boolean works(boolean byName) {
        return HAS_PERF && !byName || runs("strace", "-o", "/dev/null", "true");
    }

    /** What is done meanwhile. */
    interface Work {
        void run() throws IOException;
    }

    /** How many there are while some work is done, by name or in one sum. */
    static Map<String, Double> count(long pid, boolean byName, Work work) throws IOException, InterruptedException {
        boolean byPerf = HAS_PERF && !byName;
        Path counted = Files.createTempFile("pollux-micro-", ".calls");
        List<String> command = byPerf
                ? List.of("perf", "stat", "-x", ",", "-o", counted.toString(), "-e", EVENT, "-p", "" + pid)
                : List.of("strace", "-c", "-f", "-o", counted.toString(), "-p", "" + pid);
        Process counter = new ProcessBuilder(command).redirectErrorStream(true).start();
        try {
            if (byPerf) {
                TimeUnit.MILLISECONDS.sleep(500); // it says nothing when it has begun
            } else {
                String line = counter.inputReader().readLine();
                if (line == null || !line.contains(" attached")) {
                    throw new IOException("strace: " + line);
                }
            }
            work.run();
            if (byPerf) {
                // It writes what it counted on this signal alone. The shell's own kill: minimal Debian has no program.
                Child.output(List.of("sh", "-c", "kill -INT " + counter.pid()));
            } else {
                counter.destroy();
            }
            if (!counter.waitFor(30, TimeUnit.SECONDS)) {
                throw new IOException(command.get(0) + " does not end");
            }
            Map<String, Double> calls = read(counted);
            if (calls.isEmpty()) {
                throw new IOException(command.get(0) + " counted nothing: "
                        + new String(counter.getInputStream().readAllBytes(), Charset.defaultCharset()));
            }
            return calls;
        } finally {
            counter.destroyForcibly();
            Files.delete(counted);
        }
    }

    /**
     * Lines such as "12345,,raw_syscalls:sys_enter,1000,100.00,,", and "12.34 0.012345 1 12345 67 epoll_wait", where
     * the number of errors may be missing.
     */
    private static Map<String, Double> read(Path counted) throws IOException {
        Map<String, Double> calls = new TreeMap<>();
        for (String line : Files.readAllLines(counted)) {
            String[] words = line.strip().split("[\\s,]+");
            String name = words[words.length - 1];
            if (words.length >= 2 && words[1].equals(EVENT)) {
                calls.put("all", Double.valueOf(words[0]));
            } else if (words.length >= 5 && words[3].matches("\\d+") && !name.equals("total")) {
                calls.put(name, Double.valueOf(words[3]));
            }
        }
        return calls;
    }
}
