// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.jdk;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/** Counts what the current thread allocates, by the module {@code jdk.management}, which a runtime need not have. */
public final class Allocation {
    private final MethodHandle bytes;

    private Allocation(MethodHandle bytes) {
        this.bytes = bytes;
    }

    /** {@return a counter; null if this runtime has none} */
    public static Allocation ofCurrentThread() {
        try {
            Object bean = Class.forName("java.lang.management.ManagementFactory").getMethod("getThreadMXBean")
                    .invoke(null);
            Class<?> type = Class.forName("com.sun.management.ThreadMXBean");
            return !type.isInstance(bean) ? null : new Allocation(MethodHandles.publicLookup()
                    .findVirtual(type, "getCurrentThreadAllocatedBytes", MethodType.methodType(long.class))
                    .bindTo(bean));
        } catch (ReflectiveOperationException | LinkageError e) {
            return null;
        }
    }

    /** {@return the bytes that the current thread has allocated since it began} */
    public long bytes() {
        try {
            return (long) bytes.invokeExact();
        } catch (Throwable e) {
            throw VirtualThreads.unchecked(e);
        }
    }
}
