// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import dev.pollux.internal.arena.Arena;
import dev.pollux.internal.arena.Orders;
import dev.pollux.internal.count.LoopStatistics;
import dev.pollux.internal.count.Unexpected;
import dev.pollux.internal.tls.BufferLimit;
import dev.pollux.internal.tls.BufferPool;
import dev.pollux.server.ServerErrorHandler.Place;
import java.net.SocketAddress;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * Tells a loop's handler what happens to connections beside their data, and has connections end; tells the error
 * handler what goes wrong.
 *
 * <p>For the loop's thread. Allocation: for what goes wrong, or waits for memory.
 */
final class LoopEvents {
    static final int NO_ORDER = 0;

    private static final Event WRITABLE = (handler, exchange) -> handler.onWritable(exchange.connection());

    private final Arena arena;
    private final LoopConnections connections;
    private final LoopMoves moves;
    private final LoopReplies replies;
    private final LoopStatistics statistics;
    private final HandlerCall call;
    private final ServerErrorHandler errors;

    /** What the server's connections may have waiting, and the pool of what the slow path takes over. */
    private final BufferLimit memory;
    private final BufferPool slowPath;

    private final LingeringClose lingering = new LingeringClose();

    /** Held connections whose handlers are to hear when there is memory for what they send. */
    private final Set<HeldConnection> waiting = new LinkedHashSet<>();

    LoopEvents(Arena arena, LoopConnections connections, LoopMoves moves, LoopReplies replies,
            LoopStatistics statistics, HandlerCall call, ServerErrorHandler errors, BufferLimit memory,
            BufferPool slowPath) {
        this.arena = arena;
        this.connections = connections;
        this.moves = moves;
        this.replies = replies;
        this.statistics = statistics;
        this.call = call;
        this.errors = errors;
        this.memory = memory;
        this.slowPath = slowPath;
    }

    /** A call of the handler that has no data. */
    @FunctionalInterface
    private interface Event {
        void tell(ConnectionHandler handler, Exchange exchange) throws Throwable;
    }

    /** The handler may close the connection in that call: this is why. */
    private void call(long connection, Event event, CloseReason reason) {
        replies.begin();
        begin(connection);
        try {
            event.tell(call.handler(), call);
            if (call.isClosing) {
                leave(connection, Orders.CLOSE, reason);
            }
        } catch (Throwable e) {
            onThrown(connection, e);
        } finally {
            endCall();
        }
    }

    /** A connection has begun. */
    void open(long connection) {
        connections.setKnown(connection);
        call(connection, ConnectionHandler::onOpen, CloseReason.CLOSED);
        HeldConnection held = connections.held(connection);
        if (held != null && held.awaitsMemory()) { // from before: only now can it hear that there is some
            awaitMemory(held);
        }
    }

    /** The server is closing. */
    void shutDown(long connection) {
        if (connections.isKnown(connection) && replies.hasRoom()) {
            call(connection, ConnectionHandler::onShutdown, CloseReason.SERVER);
        } else {
            leave(connection, Orders.CLOSE, CloseReason.SERVER);
        }
    }

    /** The other side sends no more. The handler of a paused connection hears that when it is resumed. */
    void end(long connection) {
        HeldConnection paused = connections.held(connection);
        if (paused != null) {
            paused.endsLater = paused.isPaused();
        }
        if (!connections.isServed(connection) || paused != null && paused.endsLater) {
            return;
        }
        connections.endRequest(connection);
        call(connection, ConnectionHandler::onEnd, CloseReason.PEER);
        HeldConnection held = connections.held(connection);
        if (held != null && held.onEnd()) {
            leave(connection, Orders.CLOSE, CloseReason.PEER);
        }
    }

    /** A request is not to be handled. Its handler may still reply, and the other side gets that if it sends more. */
    void refuse(long connection, CloseReason reason) {
        replies.begin();
        begin(connection);
        try {
            call.handler().onRefused(call, reason);
            HeldConnection held = connections.held(connection);
            boolean lingers = replies.hasSentInCall() || held != null && held.pending() > 0;
            leave(connection, lingers ? Orders.SHUTDOWN : Orders.CLOSE, reason);
            if (lingers) {
                arena.orders().add(connection, Orders.RESUME);
                lingering.begin(connection);
            }
        } catch (Throwable e) {
            onThrown(connection, e);
        } finally {
            endCall();
        }
    }

    /** Closes a connection that lingers, if it does: its other side has ended, too. */
    boolean endLingering(long connection) {
        boolean lingers = lingering.end(connection);
        if (lingers) {
            leave(connection, Orders.CLOSE, connections.reason(connection));
        }
        return lingers;
    }

    /** Closes connections that have lingered for long enough. */
    void endLingering() {
        for (long each = lingering.takeDue(); each != 0; each = lingering.takeDue()) {
            leave(each, Orders.CLOSE, connections.reason(each));
        }
    }

    /** As {@link LoopTimer#nanosToWait}. */
    long nanosToWait() {
        return lingering.nanosToWait();
    }

    /** Some of what a held connection was to send was sent. */
    void sent(long connection, long orders) {
        HeldConnection held = connections.held(connection);
        if (held == null) {
            return;
        }
        connections.onSent(connection);
        boolean isWritable = held.onSent(orders);
        held.requestUpdate();
        if (isWritable && connections.isServed(connection)) {
            call(connection, WRITABLE, CloseReason.CLOSED);
        }
    }

    /** Runs a task of a connection, as a call of its handler. */
    void run(HeldConnection held, LoopTask task) {
        if (connections.held(held.number()) == held && connections.isServed(held.number())) {
            call(held.number(), (handler, exchange) -> task.runOnce(), CloseReason.CLOSED);
        } else {
            task.cancel(false);
        }
    }

    /** A held connection that was refused something is to hear when there is memory again. */
    void awaitMemory(HeldConnection held) {
        waiting.add(held);
        memory.await();
    }

    /** Whether some may send again that had no memory for that. */
    boolean hasRelieved() {
        return !waiting.isEmpty() && memory.isRelieved();
    }

    /** Tells those, as far as the round has room for what they send. */
    void tellRelieved() {
        Iterator<HeldConnection> each = waiting.iterator();
        while (each.hasNext() && replies.hasRoom()) {
            HeldConnection held = each.next();
            each.remove();
            try {
                writable(held);
            } catch (Throwable e) {
                onFailure(held.number(), e);
            }
        }
    }

    private void writable(HeldConnection held) {
        long connection = held.number();
        if (connections.held(connection) == held && connections.isKnown(connection)
                && connections.isServed(connection) && held.takeWritable()) {
            call(connection, WRITABLE, CloseReason.CLOSED);
        }
    }

    /** A connection has ended. */
    void close(long connection) {
        lingering.end(connection);
        CloseReason reason = connections.reason(connection);
        begin(connection);
        HeldConnection held = connections.held(connection);
        connections.end(connection);
        try {
            boolean isOutgoing = held != null && held.handler() != null;
            close(held, reason, isOutgoing || connections.isKnown(connection));
        } finally {
            connections.forget(connection);
        }
    }

    /** A connection that the server has asked for has failed before it had a number. */
    void closeUnbegun(HeldConnection held) {
        call.begin(0, held.handler());
        close(held, CloseReason.FAILED, true);
    }

    /** The handler hears of the end of a connection of which it knows, or that it has asked for. */
    private void close(HeldConnection held, CloseReason reason, boolean isKnown) {
        try {
            if (held != null) {
                waiting.remove(held);
                held.end(reason == CloseReason.HANDED_OVER ? slowPath : null);
            }
        } finally {
            if (isKnown) {
                tellClosed(reason);
            }
        }
    }

    private void tellClosed(CloseReason reason) {
        try {
            call.handler().onClose(call, reason);
        } catch (Throwable e) {
            Thread.interrupted();
            tell(Place.HANDLER, e, 0);
        } finally {
            Thread.interrupted();
        }
    }

    /** Begins a call of the handler of a connection. */
    HandlerCall begin(long connection) {
        HeldConnection held = connections.held(connection);
        replies.beginCall();
        call.begin(connection, held == null ? null : held.handler());
        return call;
    }

    void endCall() {
        Thread.interrupted(); // it is the handler's: it must not meet the next one
        replies.endCall();
    }

    void onThrown(long connection, Throwable error) {
        Thread.interrupted(); // it is the handler's: it must not meet the error handler either
        tell(Place.HANDLER, error, connection);
        if (replies.hasSentInCall()) {
            setLeaving(connection, CloseReason.THROWN);
            dropHeld(connection);
            arena.orders().add(connection, Orders.ABORT, 0, 1); // as if a byte were cut
        } else {
            leave(connection, Orders.CLOSE, CloseReason.THROWN);
        }
    }

    /** Tells what went wrong with a connection that has not ended; 0: with one that has, perhaps with the arena. */
    void tell(Place where, Throwable error, long connection) {
        try {
            errors.handle(where, error, connection == 0 ? null : peerOf(connection));
        } catch (RuntimeException | Error e) {
            errors.handle(where, error, null);
        } finally {
            Thread.interrupted();
        }
    }

    /** The system knows of none before it is connected. */
    private SocketAddress peerOf(long connection) {
        SocketAddress peer = arena.peer(connection);
        HeldConnection held = peer == null ? connections.held(connection) : null;
        return held == null ? peer : held.remoteHost();
    }

    /** A step for a connection, or for none (0), has failed: this one is reset and its failure told. */
    void onFailure(long connection, Throwable error) {
        try {
            LoopMoves to = moves.end(connection);
            if (to != null) {
                to.unreserve();
            }
            breakOff(connection, error);
        } catch (Throwable e) { // memory or stack is still short, and what is in the way of the others is gone
            Unexpected.caught("the failure of a server's connection", e);
        }
    }

    /** A connection is of no more use. */
    void fail(long connection, Throwable error) {
        tell(Place.CONNECTION, error, connection);
        dropHeld(connection);
        leave(connection, Orders.CLOSE, CloseReason.FAILED);
    }

    /** TLS of a held connection has failed, whatever that was to end for. */
    void failWhileEnding(HeldConnection held) {
        fail(held.number(), held.outbound().failure());
        connections.fail(held.number());
    }

    /**
     * What the loop does for a connection has failed, so it is not known what of it was done: it is reset, whatever it
     * was to end for. Only the first failure of a connection is told.
     */
    private void breakOff(long connection, Throwable error) {
        if (connections.state(connection) == ServiceState.NONE) {
            tell(Place.CONNECTION, error, 0);
            return;
        }
        HeldConnection held = connections.held(connection);
        if (held != null) {
            held.breakOff();
        }
        CloseReason reason = connections.reason(connection);
        boolean isTold = reason == CloseReason.FAILED || reason == CloseReason.THROWN;
        if (!isTold && connections.fail(connection)) {
            statistics.add(CloseReason.FAILED.counter, 1);
        }
        arena.orders().add(connection, Orders.ABORT, 0, 1); // as if a byte were cut
        if (!isTold) {
            tell(Place.CONNECTION, error, connection);
        }
    }

    private void dropHeld(long connection) {
        HeldConnection held = connections.held(connection);
        if (held != null) {
            held.drop();
        }
    }

    /** Has a connection end, for the first reason that there is; a held one when all that it has accepted was sent. */
    void leave(long connection, int order, CloseReason reason) {
        int now = beginLeaving(connection, order, reason);
        if (now != NO_ORDER) {
            arena.orders().add(connection, now);
        }
    }

    /** The same, but returns what is to be ordered now, with the data that is left. A handshake goes on before that. */
    int beginLeaving(long connection, int order, CloseReason reason) {
        setLeaving(connection, reason);
        HeldConnection held = connections.held(connection);
        if (held == null || order == Orders.ABORT || held.finish(order)) {
            return order;
        }
        boolean goesOn = order == Orders.SHUTDOWN || held.outbound().awaitsHandshake();
        return goesOn ? NO_ORDER : Orders.PAUSE;
    }

    void setLeaving(long connection, CloseReason reason) {
        if (connections.leave(connection, reason)) {
            statistics.add(reason.counter, 1);
        }
    }
}
