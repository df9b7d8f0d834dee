// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.harness;

import java.util.concurrent.ThreadFactory;

/** Starts virtual threads, though this is compiled for Java 17, which has none. Thread-safe. */
public final class VirtualThreads {
    private static final ThreadFactory FACTORY = find();

    private VirtualThreads() {
    }

    private static ThreadFactory find() {
        try {
            Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
            return (ThreadFactory) Class.forName("java.lang.Thread$Builder").getMethod("factory").invoke(builder);
        } catch (ReflectiveOperationException none) {
            return null;
        }
    }

    /** Whether this virtual machine has them. */
    public static boolean exist() {
        return FACTORY != null;
    }

    /** Makes them. */
    public static ThreadFactory factory() {
        if (FACTORY == null) {
            throw new IllegalStateException("no virtual threads in Java " + Runtime.version());
        }
        return FACTORY;
    }

    /** Starts one. */
    public static void start(Runnable work) {
        factory().newThread(work).start();
    }
}
