// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.jni;

/**
 * The calls of {@code batch.h}. A batch is named by the handle that {@link #open} returned and is not checked. {@link
 * #counts} and the changes are for any thread, turns for one at a time.
 */
public final class BatchNatives {
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

    /** Copies the first {@code count} of {@code plx_batch_counts}. */
    public static native void counts(long batch, long[] counts, int offset, int count);

    /** Whether writes are deferred now. */
    public static native boolean isActive(long batch);
}
