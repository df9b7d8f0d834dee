// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.jni;

/**
 * The native methods of batches, one for each call of {@code batch.h} and nothing else. They report and never decide: a
 * result is a value &ge; 0 or a negated error code, and none throws.
 *
 * <p>A batch is named by the handle that {@link #open} returned and is not checked. {@link #counts} and the changes are
 * for any thread, turns for one at a time. {@link NativeLibrary} must have loaded the library before.
 */
public final class BatchNatives {
    /** Places in {@link #counts}: {@code plx_batch_counts}. Reasons to flush are in the order of {@code plx_flush}. */
    public static final int WRITES = 0, BYTES = 1, FLUSHES = 2, FLUSH_REASONS = 5, REMAINDERS = 7, LATE_ERRORS = 8,
            SWITCHED_OFF = 9, RECEIVES = 10, RECEIVED_BYTES = 11, RECEIVE_BATCHES = 12, UNREAD = 13, ACTIVE = 14,
            COUNTS = 15;

    private BatchNatives() {
    }

    /** Why there can be no batch here; null if there can be one. */
    public static native String obstacle();

    /** Opens a batch of writes, and of reads too if it {@code receives}. */
    public static native long open(boolean receives);

    public static native void close(long batch);

    /** A stream socket is registered with the batch's selector. */
    public static native void adopt(long batch, int fd);

    /** It is deregistered from one of the selectors that have it. */
    public static native void release(int fd);

    /** The batch's selector watches for other events of what is registered, or gives it another cookie. */
    public static native void watch(long batch, int fd, int want, long cookie);

    /**
     * Sends what is deferred; returns whether something is to be reported without a wait.
     *
     * @param defers whether what this thread writes afterwards is deferred
     */
    public static native boolean endTurn(long batch, boolean defers);

    /** After a wait that has found {@code n} events: receives, and adds events; returns how many there are then. */
    public static native int beginTurn(long batch, long events, int n, int maxEvents);

    public static native void counts(long batch, long[] counts);
}
