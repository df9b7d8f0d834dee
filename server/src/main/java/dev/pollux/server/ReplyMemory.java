// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import dev.pollux.internal.arena.Arena;
import dev.pollux.internal.jdk.DirectMemory;
import dev.pollux.internal.tls.BufferPool;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Has the copies of replies until the turn that sends them has returned: in the arena's room for replies, or, when that
 * is full, in blocks of the loop's pool.
 *
 * <p>For the loop's thread. Allocation: none as long as the pool has blocks.
 */
final class ReplyMemory {
    private static final int BLOCK = 1 << 20;
    private static final int MAX_BLOCK = 1 << 28;

    /** A round that has copied that much handles no further request. More would not stay in a processor's cache. */
    private static final long MAX_COPIED = 4 << 20;

    private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Arena arena;
    private final BufferPool pool;

    /** Bytes of the arena's room that this round's copies have taken. */
    private int used;

    /** The last one is being filled: its position is where its free bytes begin. */
    private final List<ByteBuffer> blocks = new ArrayList<>();

    /** Bytes of all blocks, and of this round's copies in them. */
    private long size;
    private long copied;

    ReplyMemory(Arena arena, BufferPool pool) {
        this.arena = arena;
        this.pool = pool;
    }

    /** Whether the requests that are left should wait for the next round. */
    boolean isFull() {
        return copied >= MAX_COPIED;
    }

    /** Copies bytes, and leaves the buffer as it is: the address of the copy. */
    long copy(ByteBuffer bytes, int from, int length) {
        if (length <= arena.spaceSize() - used) {
            arena.memory().put(used, bytes, from, length);
            used += length;
            return DirectMemory.address(arena.memory()) + used - length;
        }
        ByteBuffer block = blocks.isEmpty() ? null : last();
        if (block == null || length > block.remaining()) {
            block = add(length);
        }
        int at = block.position();
        block.put(at, bytes, from, length).position(at + length);
        copied += length;
        return DirectMemory.address(block) + at;
    }

    private ByteBuffer last() {
        return blocks.get(blocks.size() - 1);
    }

    /** Larger ones the more there are: each block is another order, and a round has room for some only. */
    private ByteBuffer add(int length) {
        int least = (int) Math.min(Math.max(BLOCK, size / 4), MAX_BLOCK);
        ByteBuffer block = pool.take(Math.max(least, length));
        blocks.add(block);
        size += block.capacity();
        return block;
    }

    /** The last copy, of as many bytes, is of no more use: in the arena's room, it stays in the processor's cache. */
    void undo(long address, int length) {
        long place = address - DirectMemory.address(arena.memory());
        if (place >= 0 && place < arena.spaceSize()) {
            used = (int) place;
        } else {
            last().position(last().position() - length);
            copied -= length;
        }
    }

    /** The turn has returned: the copies are of no more use. */
    void reset() {
        used = 0;
        if (blocks.isEmpty()) {
            return;
        }
        while (!blocks.isEmpty()) { // forEach would make an object
            pool.giveBack(blocks.remove(blocks.size() - 1));
        }
        size = 0;
        copied = 0;
    }

    /** As {@link LoopTimer#nanosToWait}: copies are not kept for longer. */
    long nanosToWait() {
        return blocks.isEmpty() ? Long.MAX_VALUE : IDLE_NANOS;
    }
}
