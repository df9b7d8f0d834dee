// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.bench;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/**
 * What the measuring thread spent in the last iteration: bytes allocated, processor time.
 *
 * <p>The allocation figures of JMH's own profiler hold the work of JMH itself, 100 KiB per iteration:
 * that looks like hundreds of bytes per operation where one takes a millisecond. Called by one
 * thread at a time; read by a profiler in another thread after the iteration. Allocates nothing.
 */
public final class Spent {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private static volatile long counted;
    private static volatile long bytesBefore;
    private static volatile long cpuBefore;
    private static volatile double bytes;
    private static volatile double cpu;

    private Spent() {
    }

    /** Begins to count the calling thread's processor time, and the bytes of the given thread, mostly the same. */
    static void begin(Thread allocating) {
        counted = id(allocating);
        cpuBefore = VirtualThreads.measure() ? -1 : THREADS.getCurrentThreadCpuTime();
        bytesBefore = THREADS.getThreadAllocatedBytes(counted);
    }

    static void end() {
        long bytesAfter = THREADS.getThreadAllocatedBytes(counted);
        bytes = bytesAfter < 0 ? Double.NaN : bytesAfter - bytesBefore;
        cpu = cpuBefore < 0 ? Double.NaN : THREADS.getCurrentThreadCpuTime() - cpuBefore;
    }

    @SuppressWarnings("deprecation")        // threadId() came after 17
    private static long id(Thread thread) {
        return thread.getId();
    }

    /** Returns the bytes allocated, NaN where the JDK can't tell, as for a virtual thread. */
    public static double bytes() {
        return bytes;
    }

    /** Returns nanoseconds of processor time, NaN where the JDK can't tell, as for a virtual thread. */
    public static double cpu() {
        return cpu;
    }
}
