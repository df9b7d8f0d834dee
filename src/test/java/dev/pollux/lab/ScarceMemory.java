// SPDX-License-Identifier: Apache-2.0
package dev.pollux.lab;

import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicLong;

/** Until this is closed, no direct buffer can be allocated in this virtual machine. */
public final class ScarceMemory {
    private final VarHandle max;
    private final long before;

    public ScarceMemory() throws ReflectiveOperationException {
        Class<?> bits = Class.forName("java.nio.Bits");
        max = Trusted.lookup().findStaticVarHandle(bits, "MAX_MEMORY", long.class);
        VarHandle reserved = Trusted.lookup().findStaticVarHandle(bits, "RESERVED_MEMORY", AtomicLong.class);
        before = (long) max.getVolatile();
        AtomicLong now = (AtomicLong) reserved.get();
        max.setVolatile(Math.min(before, now.get() / 2)); // a collection that frees some does not help
    }

    /** There is some again. */
    public void close() {
        max.setVolatile(before);
    }
}
