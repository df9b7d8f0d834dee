// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.insight;

import dev.pollux.internal.jdk.Privileged;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What the first wait of a loop that is over tells of the loop: its stack, and where Linux says for how long the thread
 * was ready to run, but had no processor: the second number of its {@code schedstat} in proc(5). Immutable.
 */
final class FirstWait {
    private final Throwable stack = new Throwable();
    private final Thread thread = Thread.currentThread();

    /** Null if there is none. */
    private final Path schedStat;

    /** Of the current thread: no other one can find its file. */
    FirstWait() {
        schedStat = isVirtual(thread) ? null : find();
    }

    /** One that runs on one system thread, then on another. Asked without the native library. */
    private static boolean isVirtual(Thread thread) {
        return thread.getClass().getName().equals("java.lang.VirtualThread");
    }

    Throwable stack() {
        return stack;
    }

    private static Path find() {
        try {
            return Privileged.isNeeded() ? Privileged.run(FirstWait::fileOfThisThread) : fileOfThisThread();
        } catch (IOException | RuntimeException e) {
            return null; // another system, or an old Linux
        }
    }

    private static Path fileOfThisThread() throws IOException {
        Path self = Path.of("/proc/thread-self");
        return self.resolveSibling(Files.readSymbolicLink(self)).resolve("schedstat");
    }

    /** For how long this thread has had no processor since it began; 0 if that can't be told, or it is another one. */
    long runDelayNanos(Thread of) {
        if (schedStat == null || of != thread) {
            return 0;
        }
        try {
            return Long.parseLong(Files.readString(schedStat, StandardCharsets.US_ASCII).split(" ")[1]);
        } catch (IOException | RuntimeException e) {
            return 0;
        }
    }
}
