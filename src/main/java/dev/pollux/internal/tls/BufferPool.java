// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.tls;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * Direct buffers that connections share: one has a buffer only while there is something in it. A buffer's capacity is a
 * power of two.
 *
 * <p>For any thread. Allocation: none while the pool has a buffer of the size.
 */
public class BufferPool { // not final, so that tests have one that fails
    private static final int MIN_BITS = 10;
    private static final int MAX_BITS = 20;

    /** Bytes of all buffers that wait for their next use. What is given back beyond is left to the collector. */
    private static final int MAX_KEPT = 4 << 20;

    /** For each size its buffers, the smallest size first. */
    private final List<ArrayDeque<ByteBuffer>> free = new ArrayList<>();

    private int kept;

    public BufferPool() {
        for (int bits = MIN_BITS; bits <= MAX_BITS; bits++) {
            free.add(new ArrayDeque<>(1));
        }
    }

    /** {@return an empty buffer for at least as many bytes} */
    public ByteBuffer take(int bytes) {
        int bits = Math.max(MIN_BITS, Integer.SIZE - Integer.numberOfLeadingZeros(Math.max(bytes, 1) - 1));
        if (bits > Integer.SIZE - 2) {
            throw new IllegalArgumentException("a buffer of " + bytes + " bytes");
        }
        if (bits <= MAX_BITS) {
            synchronized (this) {
                ByteBuffer buffer = free.get(bits - MIN_BITS).pollLast();
                if (buffer != null) {
                    kept -= buffer.capacity();
                    return buffer.clear();
                }
            }
        }
        return ByteBuffer.allocateDirect(1 << bits);
    }

    /** Takes back a buffer of {@link #take}, once: who had it must not use it any more. Null is no buffer. */
    public synchronized void giveBack(ByteBuffer buffer) {
        if (buffer != null && buffer.capacity() <= 1 << MAX_BITS && kept <= MAX_KEPT - buffer.capacity()) {
            free.get(Integer.numberOfTrailingZeros(buffer.capacity()) - MIN_BITS).addLast(buffer);
            kept += buffer.capacity();
        }
    }

    /** Takes a buffer back if nothing is left in it: null then, else the buffer. */
    ByteBuffer giveBackEmpty(ByteBuffer buffer) {
        if (buffer == null || buffer.hasRemaining()) {
            return buffer;
        }
        giveBack(buffer);
        return null;
    }

    /**
     * {@return a buffer that begins with what is left in this one, and has as much room behind it} It is ready to be
     * filled; {@code flip} shows all that is in it.
     */
    ByteBuffer extend(ByteBuffer buffer, int room) {
        if (buffer == null) {
            return take(room);
        }
        if (buffer.capacity() - buffer.remaining() < room) {
            ByteBuffer larger = take(Math.addExact(buffer.remaining(), room)).put(buffer);
            giveBack(buffer);
            return larger;
        }
        return buffer.position() == 0 ? buffer.position(buffer.limit()).limit(buffer.capacity()) : buffer.compact();
    }
}
