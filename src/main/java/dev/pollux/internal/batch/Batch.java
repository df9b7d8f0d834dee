// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.batch;

import dev.pollux.internal.count.Counter;
import dev.pollux.internal.jdk.VirtualThreads;
import dev.pollux.internal.jni.BatchNatives;

/**
 * What the thread that selects writes to its channels goes to the kernel in one call, when that thread waits next. The
 * writes themselves come through the native methods that {@code calls_deferring.c} has put in the place of the JDK's.
 * See docs/batch.md. Allocates texts, and an array to read one counter.
 */
final class Batch extends Streams {
    private final long handle;

    private Batch(long handle) {
        this.handle = handle;
    }

    /** {@return a batch, or {@link #NONE} if the system has too little of something, which is said} */
    static Streams make() {
        long handle = BatchNatives.open();
        if (handle < 0) {
            warnOfLack((int) -handle);
            return NONE;
        }
        return new Batch(handle);
    }

    @Override
    public void adopt(int fd) {
        BatchNatives.adopt(handle, fd);
    }

    @Override
    public void release(int fd) {
        BatchNatives.release(fd);
    }

    /** A virtual thread's writes are never deferred. */
    @Override
    public void endTurn() {
        int code = BatchNatives.endTurn(handle, !VirtualThreads.isVirtual());
        if (code < 0) {
            warnOfLack(-code);
        }
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
