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

    /** Opens a batch: its handle, or -code. */
    public static native long open();

    public static native void close(long batch);

    /** A stream socket is registered with the batch's selector. */
    public static native void adopt(long batch, int fd);

    /** It is deregistered from one of the selectors that have it. */
    public static native void release(int fd);

    /**
     * Sends what is deferred: 0, or -code, once: nothing is deferred from now on, for lack of something.
     *
     * @param defers whether what this thread writes afterwards may be deferred
     */
    public static native int endTurn(long batch, boolean defers);

    /** What was written to a descriptor and is not sent yet, which is the caller's then; null if nothing. */
    public static native byte[] takeOwed(int fd);

    /** Copies the first {@code count} of {@code plx_batch_counts}. */
    public static native void counts(long batch, long[] counts, int offset, int count);

    /** Whether writes are deferred now. */
    public static native boolean isActive(long batch);
}
