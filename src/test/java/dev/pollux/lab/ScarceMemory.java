// SPDX-License-Identifier: Apache-2.0
package dev.pollux.lab;

import java.lang.invoke.VarHandle;

/** Until this is closed, no direct buffer can be allocated in this virtual machine. */
public final class ScarceMemory {
    private final VarHandle max;
    private final long before;

    public ScarceMemory() throws ReflectiveOperationException {
        Class<?> bits = Class.forName("java.nio.Bits");
        max = Trusted.lookup().findStaticVarHandle(bits, "MAX_MEMORY", long.class);
        before = (long) max.getVolatile();
        max.setVolatile(0L); // a collection that frees much does not help
    }

    /** There is some again. */
    public void close() {
        max.setVolatile(before);
    }
}
