// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.server;

import dev.pollux.internal.arena.Arena;
import dev.pollux.internal.arena.Orders;
import dev.pollux.internal.jdk.DirectMemory;
import java.nio.ByteBuffer;

/**
 * Orders replies to be sent: resident ones from where they are, others from a copy in the arena's room for replies, or,
 * when that is full, in {@link ReplyMemory}. Large ones are offered to the socket at once, before the batch ends: what
 * it takes needs no copy.
 *
 * <p>For the loop's thread. Allocation: that of {@link ReplyMemory}.
 */
final class ReplyWriter {
    /** Bytes from which on a copy costs more than a system call. */
    private static final int LARGE = 1 << 14;

    private final Arena arena;
    private final ResidentMemory resident;

    final ReplyMemory memory = new ReplyMemory();

    /** Bytes of the arena's room that this batch's copies have taken. */
    private int used;

    ReplyWriter(Arena arena, ResidentMemory resident) {
        this.arena = arena;
        this.resident = resident;
    }

    /** The turn has returned: all was sent or copied. */
    void reset() {
        used = 0;
        memory.reset();
    }

    /**
     * Sends bytes, and leaves the buffer as it is. {@code isFirst} says that no order of this batch sends
     * anything to the connection; {@code flags} go with the order.
     */
    void send(long connection, ByteBuffer reply, int from, int length, boolean isFirst, int flags) {
        if (length <= 0) {
            return;
        }
        long address = reply.isDirect() ? DirectMemory.address(reply) + from : 0;
        if (address != 0 && resident.contains(address)) {
            arena.orders().add(connection, Orders.SEND | Orders.RESIDENT | flags, address, length);
        } else if (length < LARGE || !isFirst) {
            copy(connection, reply, from, length, flags);
        } else if (address != 0) {
            int sent = arena.trySend(connection, address, length);
            if (sent < length) {
                copy(connection, reply, from + sent, length - sent, flags);
            }
        } else {
            sendCopy(connection, memory.copy(reply, from, length), length);
        }
    }

    private void copy(long connection, ByteBuffer reply, int from, int length, int flags) {
        if (length <= arena.spaceSize() - used) {
            arena.memory().put(used, reply, from, length);
            arena.orders().addWith(connection, Orders.SEND | flags, used, length);
            used += length;
        } else {
            arena.orders().add(connection, Orders.SEND | flags, memory.copy(reply, from, length), length);
        }
    }

    /** A copy that is of no more use at once stays in the processor's cache for the next one. */
    private void sendCopy(long connection, long copy, int length) {
        int sent = arena.trySend(connection, copy, length);
        if (sent == length) {
            memory.undo(length);
        } else {
            arena.orders().add(connection, Orders.SEND, copy + sent, length - sent);
        }
    }
}
