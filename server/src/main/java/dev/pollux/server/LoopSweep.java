// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import dev.pollux.internal.arena.Arena;
import dev.pollux.internal.arena.Orders;
import dev.pollux.server.ServerErrorHandler.Place;
import java.io.IOException;

/**
 * Looks at all connections of a loop: for those whose time is over, and when the loop ends.
 *
 * <p>For the loop's thread. Allocation: none, but for what goes wrong.
 */
final class LoopSweep {
    private final Arena arena;
    private final LoopConnections connections;
    private final LoopTimeouts timeouts;
    private final LoopMoves moves;
    private final LoopEvents events;

    LoopSweep(Arena arena, LoopConnections connections, LoopTimeouts timeouts, LoopMoves moves, LoopEvents events) {
        this.arena = arena;
        this.connections = connections;
        this.timeouts = timeouts;
        this.moves = moves;
        this.events = events;
    }

    /** Ends connections whose other side has not done in time what they wait for. */
    void look() {
        for (int i = 0; i < connections.places() && arena.orders().room() > 0; i++) {
            long connection = connections.at(i);
            if (connection != 0 && !moves.has(connection)) {
                look(connection);
            }
        }
    }

    private void look(long connection) {
        try {
            Phase overdue = overdue(connection, Arena.indexOf(connection));
            if (overdue != null) {
                end(connection, overdue);
            }
        } catch (Throwable e) {
            events.onFailure(connection, e);
        }
    }

    /** The phase whose time is over; null: none is. */
    private Phase overdue(long connection, int index) {
        Phase phase = connections.phase(connection);
        HeldConnection held = connections.held(connection);
        if (phase == Phase.HANDSHAKE) {
            return timeouts.isOver(index, phase) ? phase : null;
        }
        boolean isPaused = held != null && held.isPaused() && phase != Phase.WRITING;
        if (isPaused && timeouts.mayWaitWhilePaused(index)) {
            timeouts.suspend(index);
            return null;
        }
        long unsent = arena.unsent(connection);
        if (unsent == 0) {
            timeouts.onAllRead(index);
        } else if (timeouts.isUnread(index, (held == null ? 0 : held.ordered()) - unsent)) {
            return Phase.WRITING;
        }
        boolean goesOn = unsent == 0 || phase == Phase.REQUEST && held != null && !held.isHeldBack();
        if (!goesOn || isPaused || connections.state(connection) == ServiceState.DEFERRED) {
            timeouts.enter(index);
        }
        return timeouts.isOver(index, phase) ? phase : null;
    }

    private void end(long connection, Phase overdue) {
        switch (overdue) {
            case HANDSHAKE -> events.fail(connection, new IOException("not connected, or TLS not established, in the"
                    + " time of its phase HANDSHAKE"));
            case FIRST_BYTE, IDLE -> events.leave(connection, Orders.CLOSE, CloseReason.IDLE);
            case REQUEST -> events.refuse(connection, CloseReason.TOO_SLOW);
            case WRITING -> reset(connection, arena.unsent(connection));
        }
    }

    /** Also one that does not come to an end. */
    private void reset(long connection, long unsent) {
        if (unsent > 0) {
            events.tell(Place.CONNECTION, new IOException("the other side has not taken enough of what it is sent in"
                    + " the time of its phase WRITING: the connection is reset, with " + unsent
                    + " bytes that it has not got"), connection);
        }
        events.leave(connection, Orders.ABORT, CloseReason.UNREAD);
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
            long connection = connections.at(i, ServiceState.SERVED);
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
