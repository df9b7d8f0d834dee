// SPDX-License-Identifier: Apache-2.0
package dev.pollux;

import dev.pollux.internal.jdk.DirectMemory;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Bytes that stay where and as they are as long as a server runs, so that they are sent without being copied.
 *
 * <p>Safe for use by many threads. Memory comes in large blocks, so that {@link #contains} has few to look at.
 */
final class ResidentMemory {
    private static final int BLOCK = 1 << 20;
    private static final int ALIGNMENT = 64;

    /** Keeps the blocks alive. */
    private final List<ByteBuffer> blocks = new ArrayList<>();

    /** The free rest of the last block. */
    private ByteBuffer rest = ByteBuffer.allocateDirect(0);

    /** First and last address of each block, two after two. */
    private volatile long[] bounds = {};

    /** A buffer that has a copy of these bytes. */
    synchronized ByteBuffer copyOf(ByteBuffer bytes) {
        int length = bytes.remaining();
        if (rest.remaining() < length) {
            addBlock(Math.max(BLOCK, length));
        }
        ByteBuffer copy = rest.slice(rest.position(), length).put(bytes.duplicate()).flip();
        int next = rest.position() + (length + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
        rest.position(Math.min(next, rest.limit()));
        return copy.asReadOnlyBuffer();
    }

    private void addBlock(int size) {
        ByteBuffer block = ByteBuffer.allocateDirect(size);
        long from = DirectMemory.address(block);
        long[] more = Arrays.copyOf(bounds, bounds.length + 2);
        more[bounds.length] = from;
        more[bounds.length + 1] = from + size;
        blocks.add(block);
        rest = block;
        bounds = more;
    }

    /** Whether an address is in it. */
    boolean contains(long address) {
        long[] known = bounds;
        for (int i = 0; i < known.length; i += 2) {
            if (address >= known[i] && address < known[i + 1]) {
                return true;
            }
        }
        return false;
    }
}
