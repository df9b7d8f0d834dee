// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.harness;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.HashMap;
import java.util.Map;

/**
 * How much all threads of this machine but the asking one have allocated, as each thread's own counter has it. What a
 * thread allocated that ended between two questions is lost, so such threads are counted too. Not thread-safe.
 */
public final class Allocation {
    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private Map<Long, Long> last = new HashMap<>();

    /** Bytes since the last question, and how many threads ended meanwhile. */
    public String sinceLast() {
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
}
