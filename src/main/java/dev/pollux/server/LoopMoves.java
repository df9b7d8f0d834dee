// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import dev.pollux.internal.arena.Arena;
import dev.pollux.internal.arena.Orders;
import dev.pollux.internal.jdk.DirectMemory;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Connections that a loop has accepted and another one is to serve, since it has fewer. The handler does not see them
 * here.
 *
 * <p>For the loop's thread, but {@link #balance}, {@link #expected}, {@link #promise} and {@link #expect}. Allocation:
 * for connections that move.
 */
final class LoopMoves {
    /** The loop where one goes. All methods are for any thread. */
    interface Target {
        /** Keeps a place for a connection that is to be {@linkplain #moveHere moved}; false: there is none. */
        boolean reserve();

        /** It will not come: the next turn may accept another one. */
        void unreserve();

        /** The connection that a place is kept for will come, and is not counted elsewhere. */
        void expect();

        /**
         * Serves a connection of another loop, soon, and bytes that were received from it. A place for it is
         * {@linkplain #reserve reserved}, and it was {@linkplain #expect expected} before it left that one, so that it
         * is always counted.
         */
        void moveHere(int descriptor, byte[] unread);
    }

    private final Arena arena;
    private final LoopConnections connections;

    /** Those that began to move in this round. */
    private final ArrayDeque<Long> begun = new ArrayDeque<>();

    /** By index, where each connection goes that is leaving. A place is kept for it there. */
    private Target[] targets = {};

    /** Connections that are to come here, and are still counted where they are. */
    private final AtomicInteger promised = new AtomicInteger();

    /** Connections that will come here, and are counted nowhere else. */
    private final AtomicInteger expected = new AtomicInteger();

    /** Connections of this loop that are leaving. Others read it as it is about now. */
    private int leaving;

    LoopMoves(Arena arena, LoopConnections connections) {
        this.arena = arena;
        this.connections = connections;
    }

    /** Has a connection go to another loop; false if that has no place for it. */
    boolean begin(long connection, Target to) {
        int index = Arena.indexOf(connection);
        if (index >= targets.length) {
            targets = Arrays.copyOf(targets, connections.roomFor(index));
        }
        begun.add(connection);
        if (!to.reserve()) { // behind all that may fail: a place that is kept is used, or given back
            begun.removeLast();
            return false;
        }
        targets[index] = to;
        connections.move(connection);
        leaving++;
        return true;
    }

    boolean has(long connection) {
        return connections.state(connection) == ServiceState.MOVING;
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

    /** Gives the connections of this round up. Their data, if there was some, was kept before. */
    void release() {
        while (!begun.isEmpty()) {
            arena.orders().add(begun.poll(), Orders.RELEASE);
        }
    }

    /** A connection is not here any more: the loop where a place is kept for it; null if it did not move. */
    Target end(long connection) {
        if (!has(connection)) {
            return null;
        }
        int index = Arena.indexOf(connection);
        Target to = targets[index];
        targets[index] = null;
        leaving--;
        return to;
    }

    /** How many more connections there will be soon; may be negative. Any thread. */
    int balance() {
        return promised.get() + expected.get() - leaving;
    }

    /** How many were given up by another loop, or are connecting, and have not come. Any thread. */
    int expected() {
        return expected.get();
    }

    /** A place is kept for one more, or for one less. Any thread. */
    void promise(int more) {
        promised.addAndGet(more);
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
