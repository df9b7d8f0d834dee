// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.batch;

import dev.pollux.internal.count.LoopStatistics;
import dev.pollux.internal.count.Loops;
import dev.pollux.internal.jni.BatchNatives;
import dev.pollux.internal.jni.Natives;
import java.io.IOException;
import java.util.List;

/**
 * What a selector tells of the stream sockets that are registered with it, so that writes to them may be deferred. The
 * port to {@link Batch}; {@link #NONE} where nothing is. Thread-safety: turns and {@link #close} are for one thread at
 * a time, the rest for any.
 */
public class Streams implements AutoCloseable, LoopStatistics.BatchCounts {
    /** Nothing is deferred, and nothing counted. */
    public static final Streams NONE = new Streams();

    /** System property: whether writes go out in batches. {@code off}; {@code writes} and {@code all} mean the same. */
    public static final String PROPERTY = "dev.pollux.batch";

    /** Default of {@link #PROPERTY}: each write is a system call of its own. */
    public static final String DEFAULT = "off";

    private static final List<String> BATCHES = List.of("writes", "all");

    /** Why there is none, or null; for people. */
    private static volatile String obstacle = "not asked for; -D" + PROPERTY + "=all asks";

    /** The property's value, if a batch is asked for; else null. */
    private static volatile String asked;

    /** Whether it was said that there is none. */
    private static boolean isSaid;

    Streams() {
    }

    /** Reads the property: whether a batch is asked for, and the kernel has what it needs. */
    public static boolean arePossible() throws IOException {
        String value = System.getProperty(PROPERTY, DEFAULT);
        if (value.equals(DEFAULT)) {
            return false;
        }
        if (!BATCHES.contains(value)) {
            throw new IOException("the property " + PROPERTY + " is " + value + "; it must be off, writes or all");
        }
        String why = BatchNatives.obstacle();
        obstacle = why == null ? null : "io_uring: " + why;
        asked = value;
        return obstacle == null;
    }

    /** They were possible, but the JDK's native methods could not be replaced. */
    public static void onMissingCalls(String outcome) {
        obstacle = "the socket calls are " + outcome;
    }

    /** {@return whether writes go out in batches, and if not, why; for people} */
    public static String outcome() {
        return obstacle == null ? asked : "off: " + obstacle;
    }

    private static boolean areOn() {
        return asked != null && obstacle == null;
    }

    /** {@return those of a new selector} There is a batch if one is asked for, and can be had. */
    public static Streams open() {
        return areOn() ? Batch.make() : NONE;
    }

    /** Has it be said if a batch was asked for and can't be had. */
    public static void warnIfImpossible() {
        if (asked != null && obstacle != null) {
            warnOnce(" has no effect: " + obstacle);
        }
    }

    /** A selector can't have one for lack of something. */
    static void warnOfLack(int code) {
        warnOnce(" has no effect for this selector, and for others until there is more: " + Natives.strerror(code)
                + ". A batch takes 8 KiB of locked memory (ulimit -l), 512 KiB of other memory, and at first two"
                + " descriptors and a thread");
    }

    private static void warnOnce(String why) {
        synchronized (Streams.class) {
            if (isSaid) {
                return;
            }
            isSaid = true;
        }
        Loops.warn("-D" + PROPERTY + '=' + asked + why);
    }

    /**
     * {@return what was written to a stream socket and is not sent yet; null if there is nothing} From now on it is the
     * caller's, who sends it before all else by another descriptor.
     */
    public static byte[] takeOwed(int fd) {
        return areOn() ? BatchNatives.takeOwed(fd) : null;
    }

    /** Defers what is written to a stream socket, which is registered with the selector now. */
    public void adopt(int fd) {
    }

    /** The opposite. Without effect on what is not registered. */
    public void release(int fd) {
    }

    /** Sends what is deferred, before a wait. */
    public void endTurn() {
    }

    @Override
    public void close() {
    }

    @Override
    public void copyTo(long[] counts, int offset) {
    }

    @Override
    public boolean isAtWork() {
        return false;
    }
}
