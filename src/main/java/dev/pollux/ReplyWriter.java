// SPDX-License-Identifier: Apache-2.0
package dev.pollux;

import dev.pollux.internal.arena.Arena;
import dev.pollux.internal.arena.Orders;
import dev.pollux.internal.jdk.DirectMemory;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Orders replies to be sent: resident ones from where they are, others from a copy in the arena's room for replies, or,
 * when that is full, in memory of their own.
 *
 * <p>For the loop's thread. Allocation: none but for replies that find no room.
 */
final class ReplyWriter {
    private final Arena arena;
    private final ResidentMemory resident;

    /** What must stay until the next turn has returned. */
    private final List<ByteBuffer> large = new ArrayList<>();

    private int used;

    ReplyWriter(Arena arena, ResidentMemory resident) {
        this.arena = arena;
        this.resident = resident;
    }

    /** The turn has returned: all was sent or copied. */
    void reset() {
        used = 0;
        if (!large.isEmpty()) {
            large.clear();
        }
    }

    /** Sends the remaining bytes, and leaves the buffer as it is. */
    void send(long connection, ByteBuffer reply) {
        int from = reply.position(); // read once, as the limit is: another thread may have the buffer
        int length = reply.limit() - from;
        if (length <= 0) {
            return;
        }
        if (reply.isDirect()) {
            long address = DirectMemory.address(reply) + from;
            if (resident.contains(address)) {
                arena.orders().add(connection, Orders.SEND | Orders.RESIDENT, address, length);
                return;
            }
        }
        if (length <= arena.spaceSize() - used) {
            arena.memory().put(used, reply, from, length);
            arena.orders().addWith(connection, Orders.SEND, used, length);
            used += length;
            return;
        }
        ByteBuffer copy = ByteBuffer.allocateDirect(length).put(0, reply, from, length);
        large.add(copy);
        arena.orders().add(connection, Orders.SEND, DirectMemory.address(copy), length);
    }
}
