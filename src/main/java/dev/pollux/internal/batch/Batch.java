// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.batch;

import dev.pollux.internal.count.BatchCounts;
import dev.pollux.internal.count.Counter;
import dev.pollux.internal.jdk.VirtualThreads;
import dev.pollux.internal.jni.BatchNatives;
import dev.pollux.internal.jni.Natives;
import java.io.IOException;
import java.util.List;

/**
 * What the thread that selects writes to its channels goes to the kernel in one call, when that thread waits next. The
 * port to {@code batch.h}: the writes themselves come through the native methods that {@code calls_deferring.c} has put
 * in the place of the JDK's. See docs/batch.md.
 *
 * <p>Thread-safety: turns and {@link #close} are for one thread at a time, the rest for any. Allocates texts,
 * and an array to read one counter.
 */
public final class Batch implements AutoCloseable, BatchCounts {
    /** System property: what is done in batches; {@code off}, {@code writes}, or {@code all}: reads too. */
    public static final String PROPERTY = "dev.pollux.batch";

    /** Default of {@link #PROPERTY}: each write is a system call of its own. */
    public static final String DEFAULT = "off";

    private static final List<String> BATCHES = List.of("writes", "all");

    /** Why there is none, or null; for people. */
    private static volatile String obstacle = "not asked for; -D" + PROPERTY + "=all asks";

    /** The property's value, if a batch is asked for; else null. */
    private static volatile String asked;

    private final long handle;

    private Batch(long handle) {
        this.handle = handle;
    }

    /** Reads the property: whether a batch is asked for, and the kernel has what it needs. */
    public static boolean isPossible() throws IOException {
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

    /** It was possible, but the JDK's native methods could not be replaced. */
    public static void onMissingCalls(String outcome) {
        obstacle = "the socket calls are " + outcome;
    }

    /** {@return whether writes go out in batches, and if not, why; for people} */
    public static String outcome() {
        return obstacle == null ? asked : "off: " + obstacle;
    }

    /** {@return a batch for a selector, or null if there are none} */
    public static Batch open() throws IOException {
        String kind = asked;
        if (kind == null) {
            return null;
        }
        if (obstacle != null) {
            return null;
        }
        long handle = BatchNatives.open(kind.equals("all"));
        if (handle < 0) {
            throw new IOException("Opening a batch: " + Natives.strerror((int) -handle));
        }
        return new Batch(handle);
    }

    /** {@return what is to be said of a batch that was asked for and is not possible, once; else null} */
    public static synchronized String takeWarning() {
        if (asked == null || obstacle == null) {
            return null;
        }
        String warning = "-D" + PROPERTY + '=' + asked + " has no effect: " + obstacle;
        asked = null;
        return warning;
    }

    /** Defers what is written to a stream socket, which is registered with the selector now. */
    public void adopt(int fd) {
        BatchNatives.adopt(handle, fd);
    }

    /** The opposite. Without effect on what is not registered. */
    public void release(int fd) {
        BatchNatives.release(fd);
    }

    /** What is watched for has changed, or the cookie has. */
    public void watch(int fd, int events, long cookie) {
        BatchNatives.watch(handle, fd, events, cookie);
    }

    /**
     * Sends what is deferred, before a wait: whether something is to be reported without one. A virtual thread's writes
     * are never deferred.
     */
    public boolean endTurn() {
        return BatchNatives.endTurn(handle, !VirtualThreads.isVirtual());
    }

    /** Receives from what is readable, and adds to {@code n} events what is unread: how many there are now. */
    public int beginTurn(long events, int n, int maxEvents) {
        return BatchNatives.beginTurn(handle, events, n, maxEvents);
    }

    @Override
    public void close() {
        BatchNatives.close(handle);
    }

    @Override
    public void copyTo(long[] counts, int offset) {
        BatchNatives.counts(handle, counts, offset, Counter.OF_BATCH);
    }

    @Override
    public boolean isAtWork() {
        return BatchNatives.isActive(handle);
    }
}
