// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.apps.server;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryType;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** What this virtual machine has allocated, and what is in use in its heap. Not thread-safe. */
final class Memory {
    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private Map<Long, Long> last = new HashMap<>();

    /**
     * Bytes that all threads but the asking one have allocated since the last question, as each thread's own counter
     * has it, and how many threads ended meanwhile: what those allocated is lost.
     */
    String allocated() {
        long[] ids = threads.getAllThreadIds();
        long[] bytes = threads.getThreadAllocatedBytes(ids);
        Map<Long, Long> now = new HashMap<>();
        long sum = 0;
        for (int i = 0; i < ids.length; i++) {
            if (ids[i] == Thread.currentThread().getId() || bytes[i] < 0) {
                continue;
            }
            now.put(ids[i], bytes[i]);
            sum += bytes[i] - last.getOrDefault(ids[i], 0L);
        }
        long ended = last.keySet().stream().filter(id -> !now.containsKey(id)).count();
        last = now;
        return sum + " " + ended;
    }

    /** Bytes in use after a collection, which it asks for. */
    long inUse() {
        // Twice: what a first collection finds unreachable may have a cleaner, and goes with the second.
        System.gc();
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
        System.gc();
        // As the collector left it: what is in use now includes the buffers that threads have been given since.
        return ManagementFactory.getMemoryPoolMXBeans().stream().filter(pool -> pool.getType() == MemoryType.HEAP)
                .mapToLong(pool -> pool.getCollectionUsage().getUsed()).sum();
    }
}
