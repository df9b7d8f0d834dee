// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import dev.pollux.internal.arena.Arena;
import dev.pollux.internal.arena.Orders;
import dev.pollux.server.ServerErrorHandler.Place;
import java.io.IOException;

/**
 * Looks at all connections of a loop: for those that are idle, and when the loop ends.
 *
 * <p>For the loop's thread. Allocation: none, but for what goes wrong.
 */
final class LoopSweep {
    private final Arena arena;
    private final LoopConnections connections;
    private final LoopMoves moves;
    private final LoopEvents events;

    LoopSweep(Arena arena, LoopConnections connections, LoopMoves moves, LoopEvents events) {
        this.arena = arena;
        this.connections = connections;
        this.moves = moves;
        this.events = events;
    }

    /** Closes connections that were idle for too long, and at once those that do not come to an end. */
    void look() {
        for (int i = 0; i < connections.places() && arena.orders().room() > 0; i++) {
            look(connections.at(i, LoopConnections.LEAVING, 0), Orders.ABORT);
            look(connections.at(i, LoopConnections.SERVED, 0), Orders.CLOSE);
        }
    }

    private void look(long connection, int order) {
        if (connection == 0) {
            return;
        }
        try {
            endIfIdle(connection, order);
        } catch (Throwable e) {
            events.onFailure(connection, e);
        }
    }

    private void endIfIdle(long connection, int order) {
        if (isPaused(connection)) {
            connections.touch(connection); // it is not idle, and has all the time when it is resumed
            return;
        }
        long unsent = arena.unsent(connection);
        connections.touchIfReading(connection, unsent);
        if (connections.isIdle(connection, LoopTimer.TICKS)) {
            if (unsent > 0) {
                events.tell(Place.CONNECTION, new IOException("the other side"
                        + " takes nothing of what it is sent for the idle timeout: the connection is reset, with "
                        + unsent + " bytes that it has not got"), connection);
                events.leave(connection, Orders.ABORT, CloseReason.UNREAD);
            } else if (order == Orders.CLOSE && !connections.isKnown(connection)) {
                events.fail(connection, new IOException("not connected, or TLS not established, within the idle"
                        + " timeout"));
            } else {
                events.leave(connection, order, CloseReason.IDLE);
            }
        }
    }

    /** Whether its holder does not want anything from the other side now. */
    private boolean isPaused(long connection) {
        HeldConnection held = connections.held(connection);
        return held != null && held.isPaused();
    }

    /** The loop ends before all has been sent. */
    void tellWhatIsCut() {
        for (int i = 0; i < connections.places(); i++) {
            long connection = connections.at(i);
            long unsent = connection == 0 ? 0 : arena.unsent(connection);
            if (unsent > 0) {
                events.tell(Place.CONNECTION, new IOException("the server is closed, and the connection reset, with "
                        + unsent + " bytes that the other side has not got"), connection);
            }
        }
    }

    /** The server is closing; the handler may let connections live until the deadline if there is time until then. */
    void shutDownAll(boolean hasTime) {
        for (int i = 0; i < connections.places() && arena.orders().room() > 0; i++) {
            long connection = connections.at(i, LoopConnections.SERVED, -1);
            if (connection != 0) {
                shutDown(connection, hasTime);
            }
        }
    }

    private void shutDown(long connection, boolean hasTime) {
        try {
            if (hasTime) {
                events.shutDown(connection);
            } else {
                events.leave(connection, Orders.CLOSE, CloseReason.SERVER);
            }
        } catch (Throwable e) {
            events.onFailure(connection, e);
        }
    }

    /** The handler hears that every connection has ended. */
    void closeAll() {
        for (int i = 0; i < connections.places(); i++) {
            long connection = connections.at(i);
            if (connection != 0) {
                close(connection);
            }
        }
        connections.clear();
    }

    private void close(long connection) {
        LoopMoves.Target to = moves.end(connection);
        try {
            if (to != null) {
                to.unreserve();
            } else {
                events.close(connection);
            }
        } catch (Throwable e) {
            events.tell(Place.CONNECTION, e, 0);
        }
    }
}
