// SPDX-License-Identifier: Apache-2.0
package dev.pollux.lab;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;

/** What steps allocate, once they are compiled. */
public final class Garbage {

    private static final int ROUNDS = 20_000;

    /** A try takes no longer than that: a selection takes a millisecond on an emulated system. */
    private static final long TRY_SECONDS = 1;

    private static final long PATIENCE_SECONDS = 30;

    private Garbage() {
    }

    /**
     * The step makes less than one byte on average, in the current thread and in others that it drives. The interpreter
     * allocates what compiled code does not, and the compiler may be busy: only the last try must be clean.
     */
    public static void assertNone(Io.Step step, Thread... others) throws Exception {
        assertLess(1, step, others);
    }

    /** The step makes less than so many bytes on average; otherwise as {@link #assertNone}. */
    public static void assertLess(long bytes, Io.Step step, Thread... others) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        double least;
        do {
            least = bytesPerStep(step, others);
        } while (least >= bytes && System.nanoTime() < deadline);
        assertTrue(least < bytes, "bytes per step: " + least);
    }

    /** How many bytes a step makes in the current thread and in others, and some more for counting them. */
    public static long bytesOf(Io.Step step, Thread... others) throws Exception {
        long before = allocated(others);
        step.run();
        return allocated(others) - before;
    }

    private static double bytesPerStep(Io.Step step, Thread... others) throws Exception {
        long first = allocated(others);
        long before = allocated(others);
        long reading = before - first; // allocates too: much for so few steps as an emulated system makes in a second
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(TRY_SECONDS);
        int rounds = 0;
        while (rounds < ROUNDS && System.nanoTime() < end) {
            step.run();
            rounds++;
        }
        return (double) (allocated(others) - before - reading) / rounds;
    }

    private static long allocated(Thread... others) {
        ThreadMXBean meter = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long sum = 0;
        for (Thread other : others) {
            sum += meter.getThreadAllocatedBytes(other.getId());
        }
        return sum + meter.getThreadAllocatedBytes(Thread.currentThread().getId());
    }
}
