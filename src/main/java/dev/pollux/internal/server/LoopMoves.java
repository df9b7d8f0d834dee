// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.server;

import dev.pollux.internal.arena.Arena;
import dev.pollux.internal.arena.Orders;
import dev.pollux.internal.jdk.DirectMemory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Connections that a loop has accepted and another one is to serve, since it has fewer. The handler does not see them
 * here.
 *
 * <p>For the loop's thread, but {@link #balance}, {@link #expected} and {@link #expect}. Allocation: for connections
 * that move.
 */
final class LoopMoves {
    private final Arena arena;
    private final LoopConnections connections;

    /** Those that began to move in this batch. */
    private final List<Long> begun = new ArrayList<>();

    /** Connections that will come here. */
    private final AtomicInteger expected = new AtomicInteger();

    /** Connections of this loop that are leaving. Others read it as it is about now. */
    private int leaving;

    LoopMoves(Arena arena, LoopConnections connections) {
        this.arena = arena;
        this.connections = connections;
    }

    void begin(long connection) {
        connections.set(connection, LoopConnections.MOVING);
        begun.add(connection);
        leaving++;
    }

    boolean has(long connection) {
        return connections.state(connection) == LoopConnections.MOVING;
    }

    /** Keeps what has arrived for one that moves; false if it does not. */
    boolean keep(long connection, int arrival) {
        if (has(connection)) {
            arena.orders().add(connection, Orders.PAUSE,
                    DirectMemory.address(arena.memory()) + arena.arrivals().bytes(arrival),
                    arena.arrivals().length(arrival));
            return true;
        }
        return false;
    }

    /** Closes one that has failed; false if it does not move. */
    boolean abort(long connection) {
        if (has(connection)) {
            arena.orders().add(connection, Orders.ABORT);
            return true;
        }
        return false;
    }

    /** Gives the connections of this batch up. Their data, if there was some, was kept before. */
    void release() {
        if (!begun.isEmpty()) {
            begun.forEach(each -> arena.orders().add(each, Orders.RELEASE));
            begun.clear();
        }
    }

    /** A connection is not here any more; false if it did not move. */
    boolean end(long connection) {
        boolean moves = has(connection);
        if (moves) {
            leaving--;
        }
        return moves;
    }

    /** How many more connections there will be soon; may be negative. Any thread. */
    int balance() {
        return expected.get() - leaving;
    }

    /** How many were given up by another loop, or are connecting, and have not come. Any thread. */
    int expected() {
        return expected.get();
    }

    /** One will come. Any thread. */
    void expect() {
        expected.incrementAndGet();
    }

    /** It has come. */
    void arrive() {
        expected.decrementAndGet();
    }
}
