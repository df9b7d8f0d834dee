// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import dev.pollux.internal.arena.Arena;
import dev.pollux.internal.arena.Orders;
import dev.pollux.server.ServerErrorHandler.Place;
import java.io.IOException;
import java.util.function.LongConsumer;

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
    private final LongConsumer look = this::look;

    LoopSweep(Arena arena, LoopConnections connections, LoopTimeouts timeouts, LoopMoves moves, LoopEvents events) {
        this.arena = arena;
        this.connections = connections;
        this.timeouts = timeouts;
        this.moves = moves;
        this.events = events;
    }

    /** Does something for each connection; if that fails, the others go on. */
    private void forEach(LongConsumer step) {
        for (int i = 0; i < connections.places(); i++) {
            long connection = connections.at(i);
            try {
                if (connection != 0) {
                    step.accept(connection);
                }
            } catch (Throwable e) {
                events.onFailure(connection, e);
            }
        }
    }

    /** Ends connections whose other side has not done in time what they wait for. */
    void look() {
        forEach(look);
    }

    private void look(long connection) {
        boolean isLookedAt = arena.orders().room() > 0 && !moves.has(connection);
        Phase overdue = isLookedAt ? overdue(connection, Arena.indexOf(connection)) : null;
        if (overdue != null) {
            end(connection, overdue);
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
        forEach(connection -> {
            long unsent = arena.unsent(connection);
            if (unsent > 0) {
                events.tell(Place.CONNECTION, new IOException("the server is closed, and the connection reset, with "
                        + unsent + " bytes that the other side has not got"), connection);
            }
        });
    }

    /** The server is closing; the handler may let connections live until the deadline if there is time until then. */
    void shutDownAll(boolean hasTime) {
        forEach(connection -> {
            if (arena.orders().room() == 0 || connections.state(connection) != ServiceState.SERVED) {
                return;
            }
            if (hasTime) {
                events.shutDown(connection);
            } else {
                events.leave(connection, Orders.CLOSE, CloseReason.SERVER);
            }
        });
    }

    /** The handler hears that every connection has ended. The arena is closed. */
    void closeAll() {
        forEach(this::close);
        connections.clear();
    }

    private void close(long connection) {
        LoopMoves to = moves.end(connection);
        try {
            if (to != null) {
                to.unreserve();
            } else {
                events.close(connection);
            }
        } catch (Throwable e) { // which must not have the arena do anything
            events.tell(Place.CONNECTION, e, 0);
        }
    }
}
