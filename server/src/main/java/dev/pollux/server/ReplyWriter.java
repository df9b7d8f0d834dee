// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import dev.pollux.internal.arena.Arena;
import dev.pollux.internal.arena.Orders;
import dev.pollux.internal.jdk.DirectMemory;
import dev.pollux.internal.tls.BufferPool;
import java.nio.ByteBuffer;

/**
 * Orders replies to be sent: resident ones from where they are, others from a copy in the arena's room for replies, or,
 * when that is full, in {@link ReplyMemory}. Large ones are offered to the socket at once, before the batch ends: what
 * it takes needs no copy.
 *
 * <p>For the loop's thread. Allocation: that of {@link ReplyMemory}.
 */
final class ReplyWriter {
    private final Arena arena;
    private final ResidentMemory resident;

    final ReplyMemory memory;

    /** Bytes of the arena's room that this batch's copies have taken. */
    private int used;

    ReplyWriter(Arena arena, ResidentMemory resident, BufferPool pool) {
        this.arena = arena;
        this.resident = resident;
        memory = new ReplyMemory(pool);
    }

    /** The turn has returned: all was sent or copied. */
    void reset() {
        used = 0;
        memory.reset();
    }

    /**
     * Sends bytes of a buffer, and leaves it as it is. From {@code atOnce} bytes on they are offered to the socket at
     * once, which needs that no order of this batch sends anything to the connection. The flags go with the order.
     */
    void send(long connection, ByteBuffer reply, int from, int length, int atOnce, int flags) {
        long address = reply.isDirect() ? DirectMemory.address(reply) + from : 0;
        if (address != 0 && resident.contains(address)) {
            arena.orders().add(connection, Orders.SEND | Orders.RESIDENT | flags, address, length);
        } else if (length < atOnce) {
            copy(connection, reply, from, length, flags);
        } else if (address != 0) {
            int sent = arena.trySend(connection, address, length);
            if (sent < length) {
                copy(connection, reply, from + sent, length - sent, flags);
            }
        } else {
            sendCopy(connection, reply, from, length);
        }
    }

    /** Sends a copy. */
    void copy(long connection, ByteBuffer reply, int from, int length, int flags) {
        arena.orders().add(connection, Orders.SEND | flags, copyOf(reply, from, length), length);
    }

    /** A copy that is of no more use at once stays in the processor's cache for the next one. */
    private void sendCopy(long connection, ByteBuffer reply, int from, int length) {
        int before = used;
        long copy = copyOf(reply, from, length);
        int sent = arena.trySend(connection, copy, length);
        if (sent < length) {
            arena.orders().add(connection, Orders.SEND, copy + sent, length - sent);
        } else if (used > before) {
            used = before;
        } else {
            memory.undo(length);
        }
    }

    /** Copies bytes to where they stay until the turn has returned: the address of the copy. */
    private long copyOf(ByteBuffer bytes, int from, int length) {
        if (length > arena.spaceSize() - used) {
            return memory.copy(bytes, from, length);
        }
        arena.memory().put(used, bytes, from, length);
        used += length;
        return DirectMemory.address(arena.memory()) + used - length;
    }
}
