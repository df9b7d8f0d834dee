// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.harness;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryType;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** What is in use in the heap of this virtual machine. Stateless. */
public final class HeapInUse {
    private HeapInUse() {
    }

    /** Bytes in use after a collection, which it asks for. */
    public static long bytes() {
        // Twice: what a first collection finds unreachable may have a cleaner, and goes with the second.
        System.gc();
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
        System.gc();
        // As the collector left it: what is in use now includes the buffers that threads have been given since.
        return ManagementFactory.getMemoryPoolMXBeans().stream().filter(pool -> pool.getType() == MemoryType.HEAP)
                .mapToLong(pool -> pool.getCollectionUsage().getUsed()).sum();
    }
}
