// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.server;

import dev.pollux.internal.arena.Arena;
import dev.pollux.internal.arena.Orders;
import dev.pollux.internal.jdk.DirectMemory;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Gives requests of one {@link ServerLoop} to its handler, and orders what becomes of them.
 *
 * <p>For the loop's thread. Allocation: none for a request that the handler answers at once.
 */
@SuppressWarnings("ReferenceEquality") // what a handler returns says by its identity what it means
final class LoopRequests {
    /** For each connection, room for orders that no request may take: of everything else that a batch may bring. */
    private static final int RESERVED_ORDERS = 8;

    private final ServerLoop loop;
    private final Arena arena;
    private final LoopConnections connections;
    private final LoopCounters counters;
    private final int maxRequest;
    private final int maxPending;
    private final HandlerCall call;
    private final RequestViews views;
    private final ByteBuffer received;
    private final ReplyWriter replies;
    private final LongRequests longRequests = new LongRequests();

    /** Bytes that were received, or a long request. */
    private ByteBuffer source;

    /** Whether what there is of a long request of this connection goes on being one. */
    private boolean isCollected;

    /** Bytes of replies to the connection that is being served, of this batch. */
    private long replied;

    /** What the handler was given. */
    private ByteBuffer view;

    LoopRequests(ServerLoop loop, ServerLoops server, LoopConnections connections, LoopCounters counters,
            HandlerCall call, ServerSettings settings) {
        this.loop = loop;
        this.arena = loop.arena;
        this.connections = connections;
        this.counters = counters;
        this.call = call;
        call.loop = loop;
        maxRequest = settings.maxRequest;
        maxPending = settings.maxPending;
        views = new RequestViews(arena.memory());
        received = arena.memory().duplicate();
        replies = new ReplyWriter(arena, server.resident);
    }

    ReplyMemory replyMemory() {
        return replies.memory;
    }

    /** The turn has returned: replies were sent or copied. */
    void beginBatch() {
        replies.reset();
        longRequests.beginBatch();
    }

    /** Has the handler take requests from bytes that arrived, and what is there of a long one before them. */
    void serve(long connection, int from, int length) {
        if (connections.state(connection) != LoopConnections.SERVED) {
            return; // an arrival before this one in the same batch has ended it
        }
        source = received.limit(from + length).position(from);
        boolean isLong = longRequests.has(connection);
        if (isLong) {
            if (!collect(connection)) {
                return;
            }
            source = longRequests.view(connection);
        }
        isCollected = false;
        serve(connection);
        if (isLong && !isCollected) {
            longRequests.forget(connection);
        }
    }

    /** Puts what the source shows to what is there of a long request; false if there is no memory. */
    private boolean collect(long connection) {
        try {
            longRequests.append(connection, source);
            return true;
        } catch (RuntimeException | Error e) {
            fail(connection, e);
            return false;
        }
    }

    /** Until it has taken all, or takes no more, or as much waits to be sent as may. */
    private void serve(long connection) {
        int end = source.limit();
        replied = 0;
        for (int at = source.position(); at < end && at >= 0;) {
            if (replied >= maxPending || replies.memory.isFull()
                    || arena.orders().room() < RESERVED_ORDERS * (1 + connections.open())) {
                order(connection, Orders.AGAIN, at, end - at);
                return;
            }
            at = serveOne(connection, at, end);
        }
    }

    /** Orders something with bytes of the source. */
    private void order(long connection, int what, int from, int length) {
        arena.orders().add(connection, what, DirectMemory.address(source) + from, length);
    }

    /** Where the next request begins; negative if none is to be handled now. */
    private int serveOne(long connection, int at, int end) {
        call.begin(connection);
        try {
            view = source == received ? views.of(at, end - at) : source.slice(at, end - at);
            ByteBuffer reply = callHandler();
            int next = at + view.position(); // read once: another thread may have the buffer, though it must not
            requireContract(reply, at, next);
            return answer(connection, reply, at, next, end);
        } catch (Throwable e) { // whatever it is: the other connections go on
            loop.tell(Trouble.HANDLER, e, connection);
            leave(connection, Orders.CLOSE, LoopCounters.CLOSED_THROWN);
            return -1;
        }
    }

    /** An interrupt that the handler leaves behind is its own: it must not meet the next one, or the error handler. */
    private ByteBuffer callHandler() throws Exception {
        try {
            return call.handle(view);
        } finally {
            Thread.interrupted();
        }
    }

    private void requireContract(ByteBuffer reply, int at, int next) {
        boolean consumes = reply != HandlerCall.MORE && reply != null;
        if (call.isDeferred() && reply != HandlerCall.NONE) {
            throw new IllegalStateException("a handler that defers its reply returns NONE: " + call);
        }
        if (consumes && next == at) {
            throw new IllegalStateException("a handler consumed nothing of a request: " + call);
        }
    }

    private void await(long connection, int at, int length) {
        if (call.isClosing) {
            leave(connection, Orders.CLOSE, LoopCounters.CLOSED_BY_HANDLER);
            return;
        }
        counters.count(LoopCounters.INCOMPLETE);
        if (length > maxRequest) {
            loop.tell(Trouble.CONNECTION, new IOException("a request is longer than " + maxRequest
                    + " bytes; the builder's maxRequest permits more"), connection);
            leave(connection, Orders.CLOSE, LoopCounters.CLOSED_TOO_LONG);
        } else if (length <= LongRequests.SHORTEST) {
            order(connection, Orders.KEEP, at, length);
        } else {
            isCollected = true;
            if (source == received || at > 0) { // else it is where it should be
                longRequests.forget(connection);
                source.limit(at + length).position(at);
                collect(connection);
            }
        }
    }

    private int answer(long connection, ByteBuffer reply, int at, int next, int end) {
        if (reply == HandlerCall.MORE) {
            await(connection, at, end - at);
            return -1;
        }
        if (reply == null) {
            counters.count(LoopCounters.SLOW_PATH);
            connections.set(connection, LoopConnections.LEAVING);
            order(connection, Orders.RELEASE, at, end - at);
            return -1;
        }
        counters.count(LoopCounters.REQUESTS);
        connections.touch(connection);
        if (call.isDeferred()) {
            counters.count(LoopCounters.DEFERRED);
            connections.set(connection, LoopConnections.DEFERRED);
            order(connection, Orders.PAUSE, next, end - next);
            return -1;
        }
        if (reply == view) {
            order(connection, Orders.SEND, at, next - at);
            replied += next - at;
        } else if (reply != HandlerCall.NONE) {
            replied += reply.remaining();
            replies.send(connection, reply, !arena.orders().isLastOf(connection));
        }
        if (call.isClosing) {
            leave(connection, Orders.CLOSE, LoopCounters.CLOSED_BY_HANDLER);
            return -1;
        }
        return next;
    }

    void finishDeferred(DeferredReply reply, ByteBuffer bytes) {
        long connection = reply.connection;
        if (connections.state(connection) != LoopConnections.DEFERRED) {
            return;
        }
        connections.set(connection, LoopConnections.SERVED);
        try {
            replies.send(connection, bytes, false);
        } catch (RuntimeException | Error e) { // no memory, or another thread has changed the buffer
            fail(connection, e);
            return;
        }
        if (reply.isLast || loop.isClosing) {
            leave(connection, Orders.CLOSE, LoopCounters.CLOSED_BY_HANDLER);
        } else {
            arena.orders().add(connection, Orders.RESUME);
        }
    }

    private void fail(long connection, Throwable error) {
        loop.tell(Trouble.CONNECTION, error, connection);
        leave(connection, Orders.CLOSE, LoopCounters.CLOSED_FAILED);
    }

    void forget(long connection) {
        longRequests.forget(connection);
    }

    /** Has a connection end, for the first reason that there is. */
    void leave(long connection, int order, int reason) {
        if (connections.state(connection) != LoopConnections.LEAVING) {
            connections.set(connection, LoopConnections.LEAVING);
            counters.count(reason);
        }
        arena.orders().add(connection, order);
    }
}
