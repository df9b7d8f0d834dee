// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.jdk;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.ForkJoinPool;

/**
 * The pool of carriers of the JDK's scheduler for virtual threads. It tells whether another carrier takes over for one
 * that blocks. {@code Blocker.begin} does not tell: docs/decisions.md. Immutable. No allocation.
 */
final class CarrierPool {
    private final ForkJoinPool pool;

    /** In one word: how many carriers are active, how many there are, and below that the first idle one, 0 if none. */
    private final VarHandle counts;

    /** Where the numbers are in that word, and in that of the pool's configuration. */
    private final int activeShift;
    private final int totalShift;

    private final int minActive;

    /** How many carriers there may be beyond the parallelism. */
    private final int maxSpares;

    private CarrierPool(MethodHandles.Lookup lookup) throws ReflectiveOperationException {
        Class<?> scheduled = Class.forName("java.lang.VirtualThread", false, null);
        pool = (ForkJoinPool) lookup.findStaticVarHandle(scheduled, "DEFAULT_SCHEDULER", ForkJoinPool.class).get();
        counts = lookup.findVarHandle(ForkJoinPool.class, "ctl", long.class);
        activeShift = (int) lookup.findStaticVarHandle(ForkJoinPool.class, "RC_SHIFT", int.class).get();
        totalShift = (int) lookup.findStaticVarHandle(ForkJoinPool.class, "TC_SHIFT", int.class).get();
        long bounds = (long) lookup.findVarHandle(ForkJoinPool.class, "config", long.class).get(pool);
        minActive = (short) (bounds >>> activeShift);
        maxSpares = (short) (bounds >>> totalShift);
    }

    /** {@return the pool, or null if this JDK lacks one of the members that are needed} */
    static CarrierPool find() {
        try {
            return new CarrierPool(JdkMembers.trustedLookup());
        } catch (ReflectiveOperationException | IOException absent) {
            return null;
        }
    }

    /** {@return how many carriers are meant to run at the same time} */
    int parallelism() {
        return pool.getParallelism();
    }

    /**
     * {@return whether another carrier takes over if the current thread blocks its own, and the pool can still start
     * {@code spare} more} It does if one is idle or new, or if more are active than the pool is meant to have.
     */
    boolean replaces(int spare) {
        long now = (long) counts.getVolatile(pool);
        int active = (short) (now >>> activeShift);
        int total = (short) (now >>> totalShift);
        boolean idle = (int) now != 0;
        int parallelism = pool.getParallelism();
        return total + spare <= parallelism + maxSpares
                && (idle || total < parallelism || active <= minActive || active > parallelism);
    }
}
