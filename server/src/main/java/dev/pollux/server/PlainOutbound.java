// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import dev.pollux.internal.tls.BufferPool;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;

/** Bytes that are sent as they are, in a queue of buffers of which the last alone may have room. */
final class PlainOutbound implements Outbound {
    private static final int MAX_BUFFER = 1 << 20;

    /** What part of the memory that is left one more buffer may take. */
    private static final int SHARE = 256;

    static final int MAX_FLIGHTS = 16;

    private final BufferPool memory;
    private final ArrayDeque<ByteBuffer> queue = new ArrayDeque<>(1);
    private long pending;

    PlainOutbound(BufferPool memory) {
        this.memory = memory;
    }

    @Override
    public void append(ByteBuffer bytes, int from, int length, boolean isMoreToCome) {
        for (int done = 0; done < length;) {
            ByteBuffer last = last(length - done);
            int part = Math.min(last.remaining(), length - done);
            last.put(last.position(), bytes, from + done, part).position(last.position() + part);
            done += part;
            pending += part;
        }
    }

    /** One that has room. */
    private ByteBuffer last(int length) {
        ByteBuffer last = queue.peekLast();
        if (last == null || !last.hasRemaining()) {
            last = memory.take(Math.min(MAX_BUFFER, Math.max(length, growth(last))));
            queue.addLast(last);
        }
        return last;
    }

    /**
     * Each is larger than the one before, so that who sends little takes little, but for a small part of the memory
     * that is left: room that nothing is in yet is missed by others. It is a power of two, as the pool's.
     */
    private int growth(ByteBuffer last) {
        if (last == null) {
            return 0;
        }
        long most = Long.highestOneBit(Math.max(0, memory.limit().left() / SHARE));
        return (int) Math.min(2L * last.capacity(), most);
    }

    @Override
    public void append(ByteBuffer written, boolean isMoreToCome) {
        queue.addLast(written);
        pending += written.position();
    }

    @Override
    public long pending() {
        return pending;
    }

    @Override
    public boolean mayBePassed() {
        return queue.isEmpty();
    }

    @Override
    public ByteBuffer next() {
        ByteBuffer next = queue.pollFirst();
        pending -= next == null ? 0 : next.position();
        return next;
    }

    @Override
    public int maxFlights() {
        return MAX_FLIGHTS;
    }

    @Override
    public boolean isFlushed(boolean isDropped) {
        return queue.isEmpty();
    }

    /** Each is taken out before it is given back: that must not happen twice. */
    @Override
    public void drop() {
        for (ByteBuffer next = next(); next != null; next = next()) {
            memory.giveBack(next);
        }
    }
}
