// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.insight;

import dev.pollux.internal.jdk.Privileged;
import dev.pollux.internal.jdk.VirtualThreads;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * For how long the thread that makes this was ready to run, but had no processor: on Linux the second number of its
 * {@code schedstat} in proc(5). Immutable.
 */
final class RunDelay {
    private final Thread thread = Thread.currentThread();

    /** Null if there is none. */
    private final Path file;

    /** Finds the thread's file: only the thread itself can. It may not be there. */
    RunDelay() {
        file = VirtualThreads.isVirtual() ? null : find(); // which runs on one system thread, then on another
    }

    private static Path find() {
        try {
            return Privileged.isNeeded() ? Privileged.run(RunDelay::fileOfThisThread) : fileOfThisThread();
        } catch (IOException | RuntimeException e) {
            return null; // another system, or an old Linux
        }
    }

    private static Path fileOfThisThread() throws IOException {
        Path self = Path.of("/proc/thread-self");
        return self.resolveSibling(Files.readSymbolicLink(self)).resolve("schedstat");
    }

    /** {@return nanoseconds since the thread began}; 0 if that can't be told, or this is another thread's. */
    long nanos(Thread of) {
        if (file == null || of != thread) {
            return 0;
        }
        try {
            return Long.parseLong(Files.readString(file, StandardCharsets.US_ASCII).split(" ")[1]);
        } catch (IOException | RuntimeException e) {
            return 0;
        }
    }
}
