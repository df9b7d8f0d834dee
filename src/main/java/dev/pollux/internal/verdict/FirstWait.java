// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.verdict;

import java.nio.file.Path;

/**
 * What the first wait of a loop that is over tells of the loop: its stack, and where Linux says for how long the thread
 * had a processor. It keeps neither the thread alive nor, once the {@link WatchThread} has asked for the stack, the
 * classes on it. Safe for use by many threads.
 */
public final class FirstWait {
    final String threadName = Thread.currentThread().getName();
    private final long threadId;

    /** Null if there is none. */
    private final Path schedStat;

    /** Null once the calls are known, which take much longer to find. */
    private Throwable raw;
    private StackTraceElement[] stack;

    /** Of the current thread: no other one can find its file. */
    @SuppressWarnings("deprecation") // threadId comes with JDK 19
    public FirstWait() {
        Thread current = Thread.currentThread();
        threadId = current.getId();
        schedStat = isVirtual(current) ? null : ProcessorTimes.ofThisThread();
        raw = new Throwable();
    }

    /** One of which no more than the stack is known. */
    FirstWait(StackTraceElement... stack) {
        threadId = -1;
        schedStat = null;
        this.stack = stack;
    }

    /** One that runs on one system thread, then on another. Asked without the native library. */
    private static boolean isVirtual(Thread thread) {
        return thread.getClass().getName().equals("java.lang.VirtualThread");
    }

    /** {@return the calls, innermost first; never changed} */
    synchronized StackTraceElement[] stack() {
        if (raw != null) {
            stack = raw.getStackTrace();
            raw = null;
        }
        return stack;
    }

    /** {@return for how long this thread had a processor, and lacked one; null if that can't be told} */
    @SuppressWarnings("deprecation") // threadId comes with JDK 19
    ProcessorTimes times(Thread of) {
        return schedStat == null || of.getId() != threadId ? null : ProcessorTimes.read(schedStat);
    }
}
