// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import dev.pollux.internal.arena.Arena;
import dev.pollux.internal.arena.Orders;
import dev.pollux.internal.jdk.DirectMemory;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Connections that a loop has accepted and another one is to serve, since it has fewer, and those that come here. The
 * handler does not see them before they have.
 *
 * <p>For the loop's thread; what other loops call is for any. Allocation: for connections that move.
 */
final class LoopMoves {
    /** Serves what has come here. */
    @FunctionalInterface
    interface Arrival {
        /** The descriptor is the loop's, in a reserved place, with bytes that were received from it. */
        void serve(int descriptor, byte[] unread);
    }

    private final Arena arena;
    private final LoopConnections connections;
    private final LoopThread thread;
    private final Arrival arrival;

    /** Those that began to move in this round. */
    private final ArrayDeque<Long> begun = new ArrayDeque<>();

    /** By index, where each connection goes that is leaving. A place is kept for it there. */
    private LoopMoves[] targets = {};

    /** Connections that are to come here, and are still counted where they are. */
    private final AtomicInteger promised = new AtomicInteger();

    /** Connections that will come here, and are counted nowhere else. */
    private final AtomicInteger expected = new AtomicInteger();

    /** Connections of this loop that are leaving. Others read it as it is about now. */
    private int leaving;

    LoopMoves(Arena arena, LoopConnections connections, LoopThread thread, Arrival arrival) {
        this.arena = arena;
        this.connections = connections;
        this.thread = thread;
        this.arrival = arrival;
    }

    /** Has a connection go to another loop; false if that has no place for it. */
    boolean begin(long connection, LoopMoves to) {
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
    LoopMoves end(long connection) {
        if (!has(connection)) {
            return null;
        }
        int index = Arena.indexOf(connection);
        LoopMoves to = targets[index];
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

    /** Keeps a place for a connection of another loop; false: there is none. Any thread. */
    boolean reserve() {
        boolean isReserved = !connections.isClosing() && arena.reserve();
        if (isReserved) {
            promised.incrementAndGet(); // the next one may go to another loop
        }
        return isReserved;
    }

    /** What a place is kept for will not come: the next turn may accept another one. Any thread. */
    void unreserve() {
        promised.decrementAndGet();
        arena.unreserve();
        thread.post(() -> { });
    }

    /** What a place is kept for will come. It is expected before it leaves its loop, so it is always counted. */
    void expectReserved() {
        expected.incrementAndGet();
        promised.decrementAndGet();
    }

    void expect() {
        expected.incrementAndGet();
    }

    /** Has a connection served that was expected in a reserved place, and what was received from it. Any thread. */
    void moveHere(int descriptor, byte[] unread) {
        try {
            thread.post(() -> arrival.serve(descriptor, unread));
        } catch (OutOfMemoryError e) {
            arrive();
            arena.unreserve();
            Arena.dispose(descriptor);
            throw e;
        }
    }

    void arrive() {
        expected.decrementAndGet();
    }
}
