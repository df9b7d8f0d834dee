// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.bench;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/**
 * Bytes that the measuring thread allocated in the last iteration.
 *
 * <p>The figures of JMH's own profiler hold the work of JMH itself, 100 KiB per iteration: that looks
 * like hundreds of bytes per operation where one takes a millisecond. Called by one thread at a
 * time; read by a profiler in another thread after the iteration.
 */
public final class Allocation {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private static volatile long before;
    private static volatile long bytes;

    private Allocation() {
    }

    static void begin() {
        before = THREADS.getCurrentThreadAllocatedBytes();
    }

    static void end() {
        bytes = THREADS.getCurrentThreadAllocatedBytes() - before;
    }

    /** Returns what was allocated between the begin and the end of the last iteration. */
    public static long bytes() {
        return bytes;
    }
}
