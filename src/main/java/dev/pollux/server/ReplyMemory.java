// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import dev.pollux.internal.jdk.DirectMemory;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Has the copies of replies for which the arena's room is too small, until the turn that sends them has returned:
 * blocks outside of the heap that each batch uses again. When no batch has needed them for a second, the system gets
 * them back.
 *
 * <p>For the loop's thread. Allocation: none as long as the blocks suffice. The clock is read only if there are blocks.
 */
final class ReplyMemory {
    private static final int BLOCK = 1 << 20;
    private static final int MAX_BLOCK = 1 << 28;

    /** A batch that has copied that much handles no further request. More would not stay in a processor's cache. */
    private static final long MAX_COPIED = 4 << 20;

    /** Bytes of blocks that the next batch finds. A batch has more for large and for deferred replies only. */
    private static final long MAX_KEPT = 16 << 20;

    private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final List<ByteBuffer> blocks = new ArrayList<>();

    /** Bytes of all blocks, and of this batch's copies. */
    private long size;
    private long copied;

    /** The block that is being filled, and where its free bytes begin. */
    private int current;
    private int used;

    private boolean isUsed;
    private long lastUsed;

    /** Whether the requests that are left should wait for the next batch. */
    boolean isFull() {
        return copied >= MAX_COPIED;
    }

    /** Copies bytes, and leaves the buffer as it is: the address of the copy. */
    long copy(ByteBuffer bytes, int from, int length) {
        while (current < blocks.size() && length > blocks.get(current).capacity() - used) {
            current++;
            used = 0;
        }
        if (current == blocks.size()) {
            // Larger ones the more there are: each block is another order, and a batch has room for some only.
            int least = (int) Math.min(Math.max(BLOCK, size / 4), MAX_BLOCK);
            ByteBuffer block = ByteBuffer.allocateDirect(Math.max(least, length));
            blocks.add(block);
            size += block.capacity();
        }
        ByteBuffer block = blocks.get(current);
        long address = DirectMemory.address(block) + used;
        block.put(used, bytes, from, length);
        used += length;
        copied += length;
        isUsed = true;
        return address;
    }

    /** The last copy, of as many bytes, is of no more use. */
    void undo(int length) {
        used -= length;
        copied -= length;
    }

    /** The turn has returned: the copies are of no more use. */
    void reset() {
        if (blocks.isEmpty()) {
            return;
        }
        long now = System.nanoTime();
        if (isUsed) {
            lastUsed = now;
        }
        shrink(now - lastUsed < IDLE_NANOS ? MAX_KEPT : 0);
        current = 0;
        used = 0;
        copied = 0;
        isUsed = false;
    }

    /** How long the loop may wait that could wait for these nanoseconds if there were no blocks; negative: for ever. */
    long nanosToWait(long nanos) {
        boolean isLonger = nanos < 0 || nanos > IDLE_NANOS;
        return isLonger && !blocks.isEmpty() ? IDLE_NANOS : nanos;
    }

    void close() {
        shrink(0);
    }

    private void shrink(long max) {
        while (size > max) {
            ByteBuffer last = blocks.remove(blocks.size() - 1);
            size -= last.capacity();
            DirectMemory.free(last);
        }
    }
}
