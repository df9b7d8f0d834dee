// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import dev.pollux.internal.arena.Arena;
import dev.pollux.internal.arena.Orders;
import dev.pollux.internal.jdk.DirectMemory;
import dev.pollux.internal.tls.BufferPool;
import java.nio.ByteBuffer;

/**
 * Orders what a loop's handler sends, during its calls and later: resident bytes from where they are, others from a
 * copy. Large ones are offered to the socket at once, before the round ends: what it takes needs no copy.
 *
 * <p>For the loop's thread. Allocation: that of {@link ReplyMemory}, and of connections that are held.
 */
final class LoopReplies {
    /**
     * For each connection, room for orders that no request may take: of everything else that a round may bring. What is
     * sent when a connection begins or ends, or is writable, may take half of it.
     */
    private static final int RESERVED_ORDERS = 8;

    /** What is left besides for a handler that sends more often than a round has orders: its bytes are joined then. */
    private static final int SPARE_ORDERS = 64;

    /** Bytes from which on a copy costs more than a system call. */
    private static final int LARGE = 1 << 13;

    /** Bytes from which on it costs more though a system call was made for a reply before it. */
    private static final int LARGE_BEHIND_OTHERS = 1 << 14;

    private static final int NEVER = Integer.MAX_VALUE;

    private final Arena arena;
    private final LoopConnections connections;
    private final ResidentMemory resident;
    final ReplyMemory memory;

    /** Where the data is that the handler was given: what it sends of that is sent from there. */
    private long dataFrom;
    private long dataTo;

    /** Bytes of replies to the connection that is being served, of this round, and of this call. */
    private long replied;
    private long sentInCall;

    /** Held, and sent something in this call; else null. */
    private HeldConnection inCall;

    private long calls;

    /** A connection that may have data in this round was sent something before that. */
    private boolean hasSentEarly;

    LoopReplies(Arena arena, LoopConnections connections, ResidentMemory resident, BufferPool pool) {
        this.arena = arena;
        this.connections = connections;
        this.resident = resident;
        memory = new ReplyMemory(arena, pool);
    }

    void beginRound() {
        memory.reset();
        hasSentEarly = false;
    }

    /** Whether there is room for what another request may order. */
    boolean hasRoom() {
        return hasRoom(RESERVED_ORDERS, SPARE_ORDERS);
    }

    private boolean hasRoom(int reserved, int spare) {
        return arena.orders().room() >= reserved * (1 + connections.open()) + spare;
    }

    /** Replies to another connection follow. */
    void begin() {
        replied = 0;
    }

    /** Bytes of replies since {@link #begin}. */
    long replied() {
        return replied;
    }

    /** The handler is called with data. */
    void beginData(ByteBuffer data) {
        dataFrom = DirectMemory.address(data);
        dataTo = dataFrom + data.capacity();
    }

    void beginCall() {
        sentInCall = 0;
        calls++;
    }

    long calls() {
        return calls;
    }

    void endCall() {
        dataTo = dataFrom;
        HeldConnection ended = inCall;
        inCall = null; // first: if that fails, it is not for the next call
        if (ended != null) {
            ended.endCall();
        }
    }

    boolean hasSentInCall() {
        return sentInCall > 0;
    }

    /** Sends the remaining bytes, and leaves the buffer as it is; in a call of the handler. */
    void send(long connection, ByteBuffer bytes) {
        int from = bytes.position(); // read once, as the limit is: another thread may have the buffer
        int length = bytes.limit() - from;
        if (length <= 0 || !connections.isServed(connection)) {
            return;
        }
        HeldConnection held = connections.held(connection);
        if (held != null && !held.isAccepting()) {
            if (held.hasEndedIn(calls)) {
                throw new IllegalStateException("this call has closed the connection, or shut down its output");
            }
            return;
        }
        if (sentInCall > Integer.MAX_VALUE - length) { // the arena keeps no more, and a handler may run wild
            throw new IllegalStateException("a handler sends more than 2 GiB in one call");
        }
        if (held != null && inCall != held) {
            inCall = held;
            held.beginCall();
        }
        if (held == null) {
            order(connection, bytes, from, length);
        } else if (!held.mayBePassed() || !hasRoom()) {
            held.sendReply(bytes);
        } else {
            held.beforeOrder();
            order(connection, bytes, from, length, NEVER, Orders.NOTIFY);
            held.onOrdered(length);
        }
        replied += length;
        sentInCall += length;
    }

    private void order(long connection, ByteBuffer bytes, int from, int length) {
        if (hasRoom()) {
            order(connection, bytes, from, length, minAtOnce(connection), 0);
        } else if (hasRoom(dataTo != dataFrom ? RESERVED_ORDERS : RESERVED_ORDERS / 2, 0)) {
            copy(connection, bytes, from, length, 0); // copies that follow each other are one order
        } else {
            throw new IllegalStateException("a handler sends too often in one call");
        }
    }

    /** How long a reply must be to be offered to the socket at once. */
    private int minAtOnce(long connection) {
        hasSentEarly |= dataTo == dataFrom;
        if (hasSentEarly || arena.orders().isLastOf(connection)) {
            return NEVER;
        }
        return replied == 0 ? LARGE : LARGE_BEHIND_OTHERS;
    }

    /**
     * From {@code atOnce} bytes on they are offered to the socket at once, which needs that no order of this round
     * sends anything to the connection. The flags go with the order.
     */
    private void order(long connection, ByteBuffer bytes, int from, int length, int atOnce, int flags) {
        long address = bytes.isDirect() ? DirectMemory.address(bytes) + from : 0;
        if (address >= dataFrom && address < dataTo) {
            arena.orders().add(connection, Orders.SEND | flags, address, length);
        } else if (address != 0 && resident.contains(address)) {
            arena.orders().add(connection, Orders.SEND | Orders.RESIDENT | flags, address, length);
        } else if (length < atOnce) {
            copy(connection, bytes, from, length, flags);
        } else if (address != 0) {
            int sent = arena.trySend(connection, address, length);
            if (sent < length) {
                copy(connection, bytes, from + sent, length - sent, flags);
            }
        } else {
            sendCopy(connection, bytes, from, length);
        }
    }

    private void copy(long connection, ByteBuffer bytes, int from, int length, int flags) {
        arena.orders().add(connection, Orders.SEND | flags, memory.copy(bytes, from, length), length);
    }

    private void sendCopy(long connection, ByteBuffer bytes, int from, int length) {
        long copy = memory.copy(bytes, from, length);
        int sent = arena.trySend(connection, copy, length);
        if (sent < length) {
            arena.orders().add(connection, Orders.SEND, copy + sent, length - sent);
        } else {
            memory.undo(copy, length);
        }
    }

    /** Sends a reply that was deferred. */
    void sendLater(long connection, ByteBuffer bytes) {
        HeldConnection held = connections.held(connection);
        if (held != null) {
            held.sendReply(bytes);
        } else {
            int from = bytes.position();
            order(connection, bytes, from, bytes.limit() - from, NEVER, 0);
        }
    }
}
