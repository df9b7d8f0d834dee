// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.tls;

import dev.pollux.internal.jdk.DirectMemory;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/**
 * Direct buffers that connections share: one has a buffer only while there is something in it. A buffer's capacity is a
 * power of two, up to a gibibyte. Some wait here for their next use; the memory of others goes back to the system at
 * once, and so does, in the end, what nothing has needed for a second.
 *
 * <p>For any thread. Allocation: none while the pool has a buffer of the size.
 */
public class BufferPool { // not final, so that tests have one that fails
    private static final int MIN_BITS = 10;
    private static final int MAX_BITS = 23;

    /** Bytes of all buffers that wait for their next use: the largest of them alone may be as many. */
    private static final int MAX_KEPT = 1 << MAX_BITS;

    private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Buffers of one size that wait for their next use. The one that was given back last is used first. */
    private static final class Shelf {
        ByteBuffer[] buffers = {null};
        int count;

        /** How many of them, the oldest, were not needed since {@link #shrink}. */
        int unused;

        void add(ByteBuffer buffer) {
            if (count == buffers.length) {
                buffers = Arrays.copyOf(buffers, 2 * count);
            }
            buffers[count++] = buffer;
        }

        ByteBuffer take() {
            if (count == 0) {
                return null;
            }
            ByteBuffer last = buffers[--count];
            buffers[count] = null;
            unused = Math.min(unused, count);
            return last;
        }

        ByteBuffer takeUnused() {
            ByteBuffer oldest = buffers[0];
            count--;
            unused--;
            System.arraycopy(buffers, 1, buffers, 0, count);
            buffers[count] = null;
            return oldest;
        }
    }

    /** For plaintext. Handlers may keep views of it: only the collector knows when its memory is free. */
    final BufferPool plaintext;

    private final BufferLimit limit;

    /** For each size, the smallest first. */
    private final Shelf[] shelves = new Shelf[MAX_BITS - MIN_BITS + 1];

    private int kept;

    /** Bytes of buffers that are in use, and how many of them the limit does not know of. */
    private long taken;
    private long uncounted;

    private long lastShrunk = System.nanoTime();
    private boolean isClosed;

    /** One without a limit. */
    public BufferPool() {
        this(new BufferLimit(Long.MAX_VALUE, 1, () -> { }));
    }

    public BufferPool(BufferLimit limit) {
        this(limit, new BufferPool(limit, null));
    }

    private BufferPool(BufferLimit limit, BufferPool plaintext) {
        this.limit = limit;
        this.plaintext = plaintext;
        for (int i = 0; i < shelves.length; i++) {
            shelves[i] = new Shelf();
        }
    }

    public BufferLimit limit() {
        return limit;
    }

    /** {@return bytes of buffers that are in use} */
    public long taken() {
        synchronized (this) {
            return taken + (plaintext == null ? 0 : plaintext.taken());
        }
    }

    /** {@return an empty buffer for at least as many bytes} */
    public ByteBuffer take(int bytes) {
        int bits = Math.max(MIN_BITS, Integer.SIZE - Integer.numberOfLeadingZeros(Math.max(bytes, 1) - 1));
        ByteBuffer buffer = bits <= MAX_BITS ? takeKept(bits) : null;
        if (buffer == null) {
            int size = bits > Integer.SIZE - 2 ? bytes : 1 << bits; // which is the largest power of two there is
            buffer = ByteBuffer.allocateDirect(size);
            count(size);
        }
        return buffer.clear();
    }

    private synchronized ByteBuffer takeKept(int bits) {
        ByteBuffer buffer = shelves[bits - MIN_BITS].take();
        if (buffer != null) {
            kept -= buffer.capacity();
            count(buffer.capacity());
        }
        return buffer;
    }

    private synchronized void count(long bytes) {
        taken += bytes;
        uncounted += bytes;
        if (Math.abs(uncounted) >= limit.step()) {
            limit.add(uncounted);
            uncounted = 0;
        }
    }

    /**
     * Takes back a buffer of {@link #take}, once: who had it must not use it any more. Null is no buffer. Never throws.
     */
    public void giveBack(ByteBuffer buffer) {
        if (buffer != null && !keep(buffer)) {
            free(buffer);
        }
    }

    private synchronized boolean keep(ByteBuffer buffer) {
        int size = buffer.capacity();
        count(-size);
        if (isClosed || kept > MAX_KEPT - size) {
            return false;
        }
        try {
            shelf(size).add(buffer);
        } catch (OutOfMemoryError e) {
            return false;
        }
        kept += size;
        return true;
    }

    private Shelf shelf(int size) {
        return shelves[Integer.numberOfTrailingZeros(size) - MIN_BITS];
    }

    private void free(ByteBuffer buffer) {
        if (plaintext != null) {
            DirectMemory.free(buffer);
        }
    }

    /** Another pool is to take a buffer back that was taken here. Null is no buffer. */
    void moveTo(BufferPool other, ByteBuffer buffer) {
        if (buffer != null) {
            count(-buffer.capacity());
            other.count(buffer.capacity());
        }
    }

    /** Gives the system back, once in a second, what was not needed in the last one. */
    public void shrink() {
        if (isKeeping()) {
            shrink(System.nanoTime());
        }
    }

    synchronized void shrink(long now) {
        if (plaintext != null) {
            plaintext.shrink(now);
        }
        if (now - lastShrunk >= IDLE_NANOS) {
            lastShrunk = now;
            freeUnused();
        }
    }

    private void freeUnused() {
        for (Shelf each : shelves) {
            while (each.unused > 0) {
                ByteBuffer oldest = each.takeUnused();
                kept -= oldest.capacity();
                free(oldest);
            }
            each.unused = each.count;
        }
    }

    /** {@return after how many nanoseconds to call {@link #shrink} again; the largest number: never} */
    public long nanosToWait() {
        return isKeeping() ? IDLE_NANOS : Long.MAX_VALUE;
    }

    private synchronized boolean isKeeping() {
        return kept > 0 || plaintext != null && plaintext.isKeeping();
    }

    /** {@link #shrink} is not called any more: nothing is kept from now on. */
    public synchronized void close() {
        if (plaintext != null) {
            plaintext.close();
        }
        isClosed = true;
        freeUnused();
        freeUnused();
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
