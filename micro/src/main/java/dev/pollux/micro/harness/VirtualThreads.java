// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.harness;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/** Starts virtual threads, though this is compiled for Java 17, which has none. Thread-safe. */
public final class VirtualThreads {
    private static final MethodHandle START = find();

    private VirtualThreads() {
    }

    private static MethodHandle find() {
        try {
            return MethodHandles.lookup().findStatic(Thread.class, "startVirtualThread",
                    MethodType.methodType(Thread.class, Runnable.class));
        } catch (ReflectiveOperationException none) {
            return null;
        }
    }

    /** Whether this virtual machine has them. */
    public static boolean exist() {
        return START != null;
    }

    /** Starts one. */
    public static void start(Runnable work) {
        try {
            START.invoke(work);
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }
}
