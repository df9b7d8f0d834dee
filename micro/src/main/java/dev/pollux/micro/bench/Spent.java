// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.bench;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.Collection;
import java.util.List;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.profile.InternalProfiler;
import org.openjdk.jmh.results.AggregationPolicy;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.ScalarResult;

/**
 * What the measuring thread spent in the last iteration, for each operation: bytes allocated, processor time; NaN where
 * the JDK can't tell, as for a virtual thread.
 *
 * <p>The allocation figures of JMH's own profiler hold the work of JMH itself, 100 KiB per iteration:
 * that looks like hundreds of bytes per operation where one takes a millisecond. Called by one
 * thread at a time; read by a profiler in another thread after the iteration. Allocates nothing.
 */
public final class Spent implements InternalProfiler {
    /** The name of the figure of allocated bytes. */
    public static final String BYTES = "thread.alloc.norm";

    /** The name of the figure of processor time. */
    public static final String CPU = "thread.cpu.norm";

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private static volatile long counted;
    private static volatile long bytesBefore;
    private static volatile long cpuBefore;
    private static volatile double bytes;
    private static volatile double cpu;

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

    @Override
    public void beforeIteration(BenchmarkParams benchmark, IterationParams iteration) {
        // The benchmark itself begins the count, in its own thread.
    }

    @Override
    public Collection<? extends Result<?>> afterIteration(
            BenchmarkParams benchmark, IterationParams iteration, IterationResult result) {
        long operations = result.getMetadata().getAllOps();
        return List.of(new ScalarResult(BYTES, bytes / operations, "B/op", AggregationPolicy.AVG),
                new ScalarResult(CPU, cpu / operations, "ns/op", AggregationPolicy.AVG));
    }

    @Override
    public String getDescription() {
        return "bytes and processor time of the measuring thread";
    }
}
