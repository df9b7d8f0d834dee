// SPDX-License-Identifier: Apache-2.0
package dev.pollux.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.Selector;
import java.nio.channels.WritableByteChannel;
import java.util.concurrent.TimeUnit;

/** Small input and output steps, and clocks, of the tests. */
public final class Io {

    private Io() {
    }

    /** Makes the reading end of a pipe ready. */
    public static void feed(Pipe pipe) throws IOException {
        send(pipe.sink());
    }

    /** Writes one byte. */
    public static void send(WritableByteChannel channel) throws IOException {
        if (channel.write(ByteBuffer.wrap(new byte[1])) != 1) {
            throw new IOException("nothing could be written");
        }
    }

    /** Reads until nothing is left for now, or the end. */
    public static void drain(ReadableByteChannel channel) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(4096);
        while (channel.read(buffer.clear()) > 0) {
            buffer.clear();
        }
    }

    /** Writes until a non-blocking channel takes no more. */
    public static void fill(WritableByteChannel channel) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(1 << 16);
        while (channel.write(buffer.clear()) > 0) {
            buffer.clear();
        }
    }

    /** How long a step takes, in nanoseconds. */
    public static long nanosOf(Step step) throws Exception {
        long start = System.nanoTime();
        step.run();
        return System.nanoTime() - start;
    }

    /** The processor time that a step takes on the calling thread, in milliseconds: tells sleeping from spinning. */
    public static long cpuMillisOf(Step step) throws Exception {
        var clock = ManagementFactory.getThreadMXBean();
        long start = clock.getCurrentThreadCpuTime();
        step.run();
        return TimeUnit.NANOSECONDS.toMillis(clock.getCurrentThreadCpuTime() - start);
    }

    /** A selection finds nothing, waits its full time, and does so asleep. */
    public static void assertSleeps(Selector selector, long millis) throws Exception {
        assertSleeps(selector::select, millis);
    }

    /** The same of any wait. */
    public static void assertSleeps(TimedWait wait, long millis) throws Exception {
        long[] nanos = new long[1];
        long cpu = cpuMillisOf(() -> nanos[0] = nanosOf(() -> assertEquals(0, wait.await(millis))));
        assertTrue(nanos[0] >= TimeUnit.MILLISECONDS.toNanos(millis), "returned after " + nanos[0] + " ns");
        assertTrue(cpu < millis / 2, "processor time of a sleeping thread: " + cpu + " ms");
    }

    /** Waits up to a number of milliseconds, and returns how many are ready. */
    public interface TimedWait {
        int await(long millis) throws IOException;
    }

    /** A step that may fail in any way. */
    public interface Step {
        void run() throws Exception;
    }
}
