// SPDX-License-Identifier: Apache-2.0
package dev.pollux.tools.top;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;

/** How many descriptors a process has open, and how many it may have: proc(5), fd and limits. Immutable. */
record OpenFiles(long count, long limit) {
    private static final String LIMIT = "Max open files";

    /** Without these it is impossible: the Attach API's connection, and the one of the agent to us. */
    private static final int MIN_NEEDED = 2;

    /** With these it is possible: a failure has another cause then. Jars are opened, too. */
    private static final int MAX_NEEDED = 8;

    /** {@return those of a process; empty where that can't be told: no Linux, no limit, another user's process} */
    static Optional<OpenFiles> of(long pid) {
        Path process = Path.of("/proc", Long.toString(pid));
        try (Stream<String> limits = Files.lines(process.resolve("limits"));
                Stream<Path> open = Files.list(process.resolve("fd"))) {
            return limits.filter(line -> line.startsWith(LIMIT))
                    .map(line -> line.substring(LIMIT.length()).strip().split(" +")[0]) // the soft one
                    .filter(soft -> !soft.equals("unlimited"))
                    .map(soft -> new OpenFiles(open.count(), Long.parseLong(soft))).findFirst();
        } catch (IOException | RuntimeException e) {
            return Optional.empty();
        }
    }

    boolean forbidsToAttach() {
        return count > limit - MIN_NEEDED;
    }

    boolean mayForbidToAttach() {
        return count > limit - MAX_NEEDED;
    }

    /** {@return what to do about a process that has too few left} */
    String advice(long pid) {
        String used = count >= limit ? "it has used all of its " + limit + " descriptors"
                : "it has used " + count + " of its " + limit + " descriptors, and to attach takes some";
        return used + ". See what they are (ls -l /proc/" + pid + "/fd) and close what it does not need, or raise the"
                + " limit: for now by prlimit --nofile=" + 2 * limit + " --pid " + pid
                + ", for the next start by ulimit -n. A leak comes back";
    }
}
