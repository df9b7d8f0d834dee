// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Requests that are longer than an arena keeps, as far as they have come: each in memory that doubles when it is full.
 * An arena would copy all of it, with each part that comes.
 *
 * <p>For the loop's thread. Allocation: for connections with such a request alone.
 */
final class LongRequests {
    /** Up to as many bytes are left to the arena. */
    static final int SHORTEST = 1 << 16;

    /** By connection; the bytes before the position are there. */
    private final Map<Long, ByteBuffer> requests = new HashMap<>();

    /** What the orders of this round refer to: it must stay until the turn has returned. */
    private final List<ByteBuffer> ordered = new ArrayList<>();

    private ByteBuffer spare;

    void beginRound() {
        if (!ordered.isEmpty()) {
            ordered.forEach(this::reuse);
            ordered.clear();
        }
    }

    private void reuse(ByteBuffer memory) {
        if (spare == null || spare.capacity() < memory.capacity()) {
            spare = memory;
        }
    }

    boolean has(long connection) {
        return !requests.isEmpty() && requests.containsKey(connection);
    }

    /** Puts bytes behind those that are here, or begins with them. */
    void append(long connection, ByteBuffer bytes) {
        ByteBuffer memory = requests.get(connection);
        if (memory == null || memory.remaining() < bytes.remaining()) {
            ByteBuffer larger = room((memory == null ? 0L : memory.position()) + bytes.remaining());
            if (memory != null) {
                larger.put(memory.flip());
                reuse(memory);
            }
            memory = larger;
            requests.put(connection, memory);
        }
        memory.put(bytes);
    }

    private ByteBuffer room(long length) {
        ByteBuffer memory = spare;
        if (memory == null || memory.capacity() < length) {
            return ByteBuffer.allocateDirect((int) Math.min(2 * length, Integer.MAX_VALUE));
        }
        spare = null;
        return memory.clear();
    }

    /** A view of what is here, and nothing else. */
    ByteBuffer view(long connection) {
        ByteBuffer memory = requests.get(connection);
        return memory.slice(0, memory.position());
    }

    /** What is here is the arena's now, or of no more use: it goes when the turn has returned. */
    void forget(long connection) {
        ByteBuffer memory = requests.isEmpty() ? null : requests.remove(connection);
        if (memory != null) {
            ordered.add(memory);
        }
    }
}
