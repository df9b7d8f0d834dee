// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.verdict;

import dev.pollux.internal.count.Printable;
import dev.pollux.internal.count.Unexpected;
import dev.pollux.internal.jdk.Room;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.util.stream.LongStream;

/**
 * Who holds the lock that a thread waits for. Immutable.
 *
 * @param sentence   who holds it, after a blank; empty if the thread waits for none, or that can't be told
 * @param isDeadlock whether it will never be given back
 * @param stack      what the owner does; null if there is none
 * @param thread     the owner's name; empty if there is none
 */
record LockOwner(String sentence, boolean isDeadlock, ShownStack stack, String thread) {
    static final LockOwner NONE = new LockOwner("", false, null, "");

    static LockOwner of(Thread thread) {
        try {
            if (!HasManagement.IS_THERE || !Finder.isUsed && !Room.isThere()) {
                return NONE;
            }
            LockOwner found = Finder.find(thread);
            Finder.isUsed = true;
            return found;
        } catch (RuntimeException | Error e) {
            Unexpected.caught("who holds a lock", e);
            return NONE;
        }
    }

    /** Asked once. */
    private static final class HasManagement {
        static final boolean IS_THERE = ModuleLayer.boot().findModule("java.management").isPresent();
    }

    /** The part that needs the module {@code java.management}. */
    private static final class Finder {
        /** No more threads of a deadlock are told. */
        private static final int MAX_THREADS = 8;

        /** Then what it takes is initialised. */
        private static volatile boolean isUsed;

        @SuppressWarnings("deprecation") // threadId comes with JDK 19
        static LockOwner find(Thread thread) {
            ThreadMXBean threads = ManagementFactory.getThreadMXBean();
            ThreadInfo info = threads.getThreadInfo(thread.getId());
            ThreadInfo owner = info == null || info.getLockOwnerId() < 0 ? null
                    : threads.getThreadInfo(info.getLockOwnerId(), Limits.MAX_CALLS);
            if (owner == null) {
                return NONE;
            }
            ShownStack stack = ShownStack.of(owner.getThreadName(), owner.getStackTrace());
            String waits = " It waits for " + lock(info) + ", which " + stack.getMessage() + " holds";
            long[] deadlocked = threads.findDeadlockedThreads();
            boolean isDeadlock = deadlocked != null && LongStream.of(deadlocked).anyMatch(id -> id == thread.getId());
            return new LockOwner(isDeadlock ? waits + circle(threads, info, owner) : waits + '.', isDeadlock, stack,
                    owner.getThreadName());
        }

        private static String lock(ThreadInfo waiting) {
            return Printable.of(waiting.getLockName());
        }

        /** What each waits for, until it is the first one again. */
        private static String circle(ThreadMXBean threads, ThreadInfo first, ThreadInfo second) {
            StringBuilder circle = new StringBuilder();
            ThreadInfo next = second;
            for (int i = 0; i < MAX_THREADS && next != null; i++) {
                String holder = next.getLockOwnerId() == first.getThreadId() ? "this thread"
                        : "thread \"" + Printable.of(next.getLockOwnerName()) + '"';
                circle.append("; that one waits for ").append(lock(next)).append(", which ").append(holder)
                        .append(" holds");
                next = next.getLockOwnerId() < 0 || next.getLockOwnerId() == first.getThreadId() ? null
                        : threads.getThreadInfo(next.getLockOwnerId());
            }
            return circle + ". That is a deadlock, and none of them will ever go on.";
        }
    }
}
