// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.bench;

import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Runs benchmarks in virtual threads where the system property {@value #PROPERTY} is true, on a JDK
 * that has them. JMH makes the executor by its class name; its own one for virtual threads yields
 * after each operation, which would be measured too.
 */
public final class VirtualThreads extends ThreadPoolExecutor {
    /** Set to true in the virtual machines that measure in virtual threads. */
    public static final String PROPERTY = "pollux.micro.virtual";

    /** Called by JMH. */
    public VirtualThreads(int threads, String prefix) {
        super(threads, threads, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), factory());
    }

    /** Tells whether virtual threads measure here. */
    static boolean measure() {
        return Boolean.getBoolean(PROPERTY);
    }

    /** Makes threads of the kind that measures. */
    static ThreadFactory factory() {
        return measure() ? dev.pollux.micro.harness.VirtualThreads.factory() : Executors.defaultThreadFactory();
    }
}
