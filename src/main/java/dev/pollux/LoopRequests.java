// SPDX-License-Identifier: Apache-2.0
package dev.pollux;

import dev.pollux.InterruptErrorHandler.Place;
import dev.pollux.internal.arena.Arena;
import dev.pollux.internal.arena.Orders;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Gives requests of one {@link InterruptLoop} to its handler, and orders what becomes of them.
 *
 * <p>For the loop's thread. Allocation: none for a request that the handler answers at once.
 */
@SuppressWarnings("ReferenceEquality") // what a handler returns says by its identity what it means
final class LoopRequests {
    /** For each connection, room for orders that no request may take: of everything else that a batch may bring. */
    private static final int RESERVED_ORDERS = 8;

    private final InterruptLoop loop;
    private final InterruptServer server;
    private final Arena arena;
    private final LoopConnections connections;
    private final LoopCounters counters;
    private final Interruptlet handler;
    private final int maxRequest;
    private final Isocket isocket;
    private final RequestViews views;
    private final ReplyWriter replies;

    /** What the handler was given. */
    private ByteBuffer view;

    LoopRequests(InterruptLoop loop, InterruptServer server, LoopConnections connections, LoopCounters counters,
            Interruptlet handler, int maxRequest) {
        this.loop = loop;
        this.server = server;
        this.arena = loop.arena();
        this.connections = connections;
        this.counters = counters;
        this.handler = handler;
        this.maxRequest = maxRequest;
        isocket = new Isocket(server, loop);
        views = new RequestViews(arena.memory());
        replies = new ReplyWriter(arena, server.residentMemory());
    }

    ReplyMemory replyMemory() {
        return replies.memory();
    }

    /** The turn has returned: replies were sent or copied. */
    void beginBatch() {
        replies.reset();
    }

    /** Has the handler take requests from bytes that arrived, until it has taken all or takes no more. */
    void serve(long connection, int from, int length) {
        if (connections.state(connection) != LoopConnections.SERVED) {
            return; // an arrival before this one in the same batch has ended it
        }
        int end = from + length;
        for (int at = from; at < end && at >= 0;) {
            if (replies.memory().isFull()
                    || arena.orders().room() < RESERVED_ORDERS * (1 + connections.open())) {
                arena.orders().addWith(connection, Orders.AGAIN, at, end - at);
                return;
            }
            at = serveOne(connection, at, end);
        }
    }

    /** Where the next request begins; negative if none is to be handled now. */
    private int serveOne(long connection, int at, int end) {
        isocket.begin(connection);
        try {
            view = views.of(at, end - at);
            ByteBuffer reply = handler.handleInterrupt(view, isocket);
            int next = at + view.position(); // read once: another thread may have the buffer, though it must not
            requireContract(reply, at, next);
            return answer(connection, reply, at, next, end);
        } catch (Throwable e) { // whatever it is: the other connections go on
            server.onError(Place.HANDLER, e);
            leave(connection, Orders.CLOSE, LoopCounters.THROWN);
            return -1;
        }
    }

    private void requireContract(ByteBuffer reply, int at, int next) {
        boolean consumes = reply != Interruptlet.MORE && reply != null;
        if (isocket.isDeferred() && reply != Interruptlet.NONE) {
            throw new IllegalStateException("a handler that defers its reply returns NONE: " + handler);
        }
        if (consumes && next == at) {
            throw new IllegalStateException("a handler consumed nothing of a request: " + handler);
        }
    }

    /** A request is not complete. */
    private void await(long connection, int at, int length) {
        if (isocket.isClosing()) {
            leave(connection, Orders.CLOSE, LoopCounters.HANDLER);
            return;
        }
        counters.onIncomplete();
        if (length > maxRequest) {
            server.onError(Place.CONNECTION, new IOException("a request is longer than " + maxRequest
                    + " bytes; the builder's maxRequest permits more"));
            leave(connection, Orders.CLOSE, LoopCounters.TOO_LONG);
        } else {
            arena.orders().addWith(connection, Orders.KEEP, at, length);
        }
    }

    private int answer(long connection, ByteBuffer reply, int at, int next, int end) {
        if (reply == Interruptlet.MORE) {
            await(connection, at, end - at);
            return -1;
        }
        if (reply == null) {
            counters.onSlowPath();
            connections.set(connection, LoopConnections.LEAVING);
            arena.orders().addWith(connection, Orders.RELEASE, at, end - at);
            return -1;
        }
        counters.onRequest();
        connections.touch(connection);
        if (isocket.isDeferred()) {
            counters.onDeferred();
            connections.set(connection, LoopConnections.DEFERRED);
            arena.orders().addWith(connection, Orders.PAUSE, next, end - next);
            return -1;
        }
        if (reply == view) {
            arena.orders().addWith(connection, Orders.SEND, at, next - at);
        } else if (reply != Interruptlet.NONE) {
            replies.send(connection, reply, !arena.orders().isLastOf(connection));
        }
        if (isocket.isClosing()) {
            leave(connection, Orders.CLOSE, LoopCounters.HANDLER);
            return -1;
        }
        return next;
    }

    /** A deferred reply was given. */
    void finishDeferred(Reply reply, ByteBuffer bytes) {
        long connection = reply.connection();
        if (connections.state(connection) != LoopConnections.DEFERRED) {
            return;
        }
        connections.set(connection, LoopConnections.SERVED);
        try {
            replies.send(connection, bytes, false);
        } catch (RuntimeException | Error e) { // no memory, or somebody has changed the buffer
            server.onError(Place.CONNECTION, e);
            leave(connection, Orders.CLOSE, LoopCounters.FAILED);
            return;
        }
        if (reply.isLast() || loop.isClosing()) {
            leave(connection, Orders.CLOSE, LoopCounters.HANDLER);
        } else {
            arena.orders().add(connection, Orders.RESUME);
        }
    }

    /** Has a connection end, for the first reason that there is. */
    void leave(long connection, int order, int reason) {
        if (connections.state(connection) != LoopConnections.LEAVING) {
            connections.set(connection, LoopConnections.LEAVING);
            counters.onClosed(reason);
        }
        arena.orders().add(connection, order);
    }
}
