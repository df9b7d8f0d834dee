// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.harness;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * What the system permits, looked up before thousands of connections are opened. See getrlimit(2), proc(5), cgroups(7).
 * Stateless.
 */
public final class Limits {
    /** What a virtual machine has open, or runs, of its own. */
    private static final int OWN = 300;

    /** The stack, and what glibc and the virtual machine guard of it. */
    private static final int MAPPINGS_PER_THREAD = 4;

    private Limits() {
    }

    /** What is in the way of that many open connections; null if nothing is. */
    public static String tooFewFiles(int connections) throws IOException {
        return tooLow(connections + OWN, limit("Max open files"), "open files in each server and client",
                "`ulimit -n`, beyond the hard limit (`ulimit -Hn`) as root, in /etc/security/limits.conf"
                        + " or a service's LimitNOFILE=");
    }

    /** What is in the way of that many threads; null if nothing is. */
    public static String tooFewThreads(int threads) throws IOException {
        int needed = threads + OWN;
        boolean root = System.getProperty("user.name").equals("root");
        return Stream.of(
                tooLow(needed, root ? Long.MAX_VALUE : limit("Max processes"), "processes of a user", "`ulimit -u`"),
                tooLow(needed, number("/proc/sys/kernel/threads-max"), "threads", "`sysctl kernel.threads-max`"),
                tooLow(needed, number("/proc/sys/kernel/pid_max"), "process numbers", "`sysctl kernel.pid_max`"),
                tooLow(needed, controlGroup(), "tasks in the control group", "its pids.max, or a service's TasksMax="),
                tooLow(needed * MAPPINGS_PER_THREAD, number("/proc/sys/vm/max_map_count"), "memory mappings",
                        "`sysctl vm.max_map_count`")).filter(Objects::nonNull).findFirst().orElse(null);
    }

    private static String tooLow(int needed, long limit, String what, String remedy) {
        return needed <= limit ? null : needed + " " + what + " are needed, the limit is " + limit + ": " + remedy;
    }

    /** A soft limit of this process, which its children inherit. */
    private static long limit(String name) throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc/self/limits"))) {
            if (line.startsWith(name)) {
                return number(line.substring(name.length()).trim().split(" +")[0], "unlimited");
            }
        }
        throw new IOException("no " + name + " in /proc/self/limits");
    }

    /** The lowest limit of this process's control group and of those around it, of either version. */
    private static long controlGroup() throws IOException {
        long lowest = Long.MAX_VALUE;
        for (String line : Files.readAllLines(Path.of("/proc/self/cgroup"))) {
            String[] parts = line.split(":", 3);
            String mount = parts[1].isEmpty() ? "/sys/fs/cgroup" : "/sys/fs/cgroup/pids";
            if (parts[1].isEmpty() || parts[1].equals("pids")) {
                for (Path group = Path.of(parts[2]); group != null; group = group.getParent()) {
                    lowest = Math.min(lowest, number(Path.of(mount + group, "pids.max").toString()));
                }
            }
        }
        return lowest;
    }

    /** The number in a file; no limit where there is no such file. By lines: these files must be read in one piece. */
    private static long number(String file) throws IOException {
        try {
            return number(Files.readAllLines(Path.of(file)).get(0), "max");
        } catch (NoSuchFileException none) {
            return Long.MAX_VALUE;
        }
    }

    private static long number(String word, String unlimited) {
        return word.equals(unlimited) ? Long.MAX_VALUE : Long.parseLong(word);
    }
}
