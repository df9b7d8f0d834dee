// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.insight;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.util.stream.LongStream;

/** Who holds the lock that a thread waits for. Needs the module {@code java.management}. Stateless. */
final class LockOwner {
    private static final int MAX_CALLS = 64;

    private LockOwner() {
    }

    /** {@return a sentence; empty if there is no lock, or it can't be told}. Adds the owner's stack to that one. */
    static String of(Thread thread, Throwable stack) {
        try {
            return ModuleLayer.boot().findModule("java.management").isPresent() ? find(thread, stack) : "";
        } catch (RuntimeException | LinkageError e) {
            return "";
        }
    }

    @SuppressWarnings("deprecation") // threadId comes with JDK 19
    private static String find(Thread thread, Throwable stack) {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        ThreadInfo info = threads.getThreadInfo(thread.getId());
        ThreadInfo owner = info == null ? null : threads.getThreadInfo(info.getLockOwnerId(), MAX_CALLS);
        if (owner == null) {
            return "";
        }
        Throwable holding = Caller.shown(owner.getThreadName(), owner.getStackTrace());
        String name = holding.getMessage();
        stack.addSuppressed(holding);
        long[] deadlocked = threads.findDeadlockedThreads();
        return deadlocked != null && LongStream.of(deadlocked).anyMatch(id -> id == thread.getId())
                ? " It is in a deadlock with " + name + ", and will never go on: restart the program."
                : " It waits for " + Printable.of(info.getLockName()) + ", which " + name + " holds.";
    }
}
