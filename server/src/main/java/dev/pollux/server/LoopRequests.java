// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import dev.pollux.internal.arena.Arena;
import dev.pollux.internal.arena.Orders;
import dev.pollux.internal.count.Counter;
import dev.pollux.internal.count.LoopStatistics;
import dev.pollux.internal.jdk.DirectMemory;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Gives what arrives at one loop to its handler, and orders what becomes of it.
 *
 * <p>For the loop's thread. Allocation: none for a request that the handler answers at once.
 */
final class LoopRequests {
    private final Arena arena;
    private final LoopConnections connections;
    private final LoopStatistics statistics;
    private final int maxRequest;
    private final int maxPending;
    private final LoopEvents events;
    private final RequestViews views;
    private final ByteBuffer received;
    private final LoopReplies replies;
    private final LongRequests longRequests = new LongRequests();

    /** Bytes that were received, or a long request. */
    private ByteBuffer source;

    /** Whether what there is of a long request of this connection goes on being one. */
    private boolean isCollected;

    /** Whether the source is such a request, or what was decrypted. */
    private boolean isLong;
    private boolean isSecure;

    /** What is left of that is to be handled in the next round. */
    private boolean isAgain;

    LoopRequests(Arena arena, LoopConnections connections, LoopReplies replies, LoopEvents events,
            LoopStatistics statistics, ServerSettings settings) {
        this.arena = arena;
        this.replies = replies;
        this.connections = connections;
        this.statistics = statistics;
        this.events = events;
        maxRequest = settings.maxRequest;
        maxPending = settings.maxPending;
        views = new RequestViews(arena.memory());
        received = arena.memory().duplicate();
    }

    void beginRound() {
        replies.beginRound();
        longRequests.beginRound();
    }

    /** Has the handler take requests from bytes that arrived, and what is there of a long one before them. */
    void serve(long connection, int from, int length) {
        if (connections.state(connection) != ServiceState.SERVED) {
            return; // an arrival before this one in the same round has ended it
        }
        source = received.limit(from + length).position(from);
        isLong = longRequests.has(connection);
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

    /**
     * Has the handler take requests from decrypted bytes, whose position is then behind them. Whether what is left is
     * to be handled in the next round.
     */
    boolean serveDecrypted(long connection, ByteBuffer decrypted) {
        source = decrypted;
        isLong = false;
        isAgain = false;
        isSecure = true;
        try {
            serve(connection);
        } finally {
            isSecure = false;
        }
        return isAgain;
    }

    void forget(long connection) {
        longRequests.forget(connection);
    }

    /** Puts what the source shows to what is there of a long request; false if there is no memory. */
    private boolean collect(long connection) {
        try {
            longRequests.append(connection, source);
            return true;
        } catch (RuntimeException | Error e) {
            events.fail(connection, e);
            return false;
        }
    }

    /** Until it has taken all, or takes no more, or as much waits to be sent as may. */
    private void serve(long connection) {
        int end = source.limit();
        replies.begin();
        for (int at = source.position(); at < end && at >= 0;) {
            HeldConnection held = connections.held(connection);
            if (held != null && held.isHeldBack()) {
                held.setStopped(true);
                order(connection, Orders.PAUSE, at, end - at);
                return;
            }
            if (replies.replied() >= maxPending || replies.memory.isFull() || !replies.hasRoom()) {
                order(connection, Orders.AGAIN, at, end - at);
                return;
            }
            at = serveOne(connection, at, end);
        }
    }

    /** Orders something with bytes of the source. What was decrypted stays where it is. */
    private void order(long connection, int what, int from, int length) {
        if (!isSecure) {
            arena.orders().add(connection, what, DirectMemory.address(source) + from, length);
        } else if (what == Orders.AGAIN) {
            isAgain = true;
        } else {
            arena.orders().add(connection, what);
        }
    }

    /** Where the next request begins; negative if none is to be handled now. */
    private int serveOne(long connection, int at, int end) {
        HandlerCall call = events.begin(connection);
        try {
            ByteBuffer view = isLong || isSecure ? source.slice(at, end - at) : views.of(at, end - at);
            replies.beginData(view);
            call.onData(view);
            return conclude(connection, call, at, at + view.position(), end);
        } catch (Throwable e) { // whatever it is: the other connections go on
            events.onThrown(connection, e);
            return -1;
        } finally {
            events.endCall();
        }
    }

    private int conclude(long connection, HandlerCall call, int at, int next, int end) {
        if (!connections.isServed(connection)) {
            return -1; // it was aborted meanwhile
        }
        if (call.isHandingOver) {
            order(connection, events.beginLeaving(connection, Orders.RELEASE, CloseReason.HANDED_OVER), at, end - at);
            return -1;
        }
        if (isSecure && !call.awaitsMore) {
            source.position(next);
        }
        if ((call.awaitsMore || next == at) && !call.isDeferred()) {
            await(connection, call, at, end - at);
            return -1;
        }
        if (call.continues) {
            connections.beginRequest(connection);
        } else {
            statistics.add(Counter.REQUESTS, 1);
            connections.endRequest(connection);
        }
        if (call.isDeferred()) {
            statistics.add(Counter.DEFERRED, 1);
            connections.defer(connection);
            int left = call.awaitsMore ? at : next;
            order(connection, Orders.PAUSE, left, end - left);
            return -1;
        }
        if (call.isClosing) {
            events.leave(connection, Orders.CLOSE, CloseReason.CLOSED);
            return -1;
        }
        return next;
    }

    private void await(long connection, HandlerCall call, int at, int length) {
        if (call.isClosing) {
            events.leave(connection, Orders.CLOSE, CloseReason.CLOSED);
            return;
        }
        connections.beginRequest(connection);
        HeldConnection held = connections.held(connection);
        if (held != null && held.comesAgain()) {
            held.setStopped(true);
            order(connection, Orders.PAUSE, at, length);
            return;
        }
        statistics.add(Counter.INCOMPLETE, 1);
        if (length > maxRequest) {
            events.tell(ServerErrorHandler.Place.CONNECTION, new IOException("a request is longer than " + maxRequest
                    + " bytes; the builder's maxRequest permits more"), connection);
            events.refuse(connection, CloseReason.TOO_LONG);
        } else if (isSecure) {
            held.tls().awaiting = length;
        } else if (length <= LongRequests.SHORTEST) {
            order(connection, Orders.KEEP, at, length);
        } else {
            isCollected = true;
            if (!isLong || at > 0) { // else it is where it should be
                longRequests.forget(connection);
                source.limit(at + length).position(at);
                collect(connection);
            }
        }
    }

    /** Gives a reply that was deferred. Whether the connection is to go on with its next request. */
    boolean finishDeferred(DeferredReply reply, ByteBuffer... parts) {
        long connection = reply.connection;
        if (connections.state(connection) != ServiceState.DEFERRED) {
            return false;
        }
        connections.goOn(connection);
        try {
            for (ByteBuffer part : parts) {
                replies.sendLater(connection, part);
            }
        } catch (RuntimeException | Error e) { // no memory, or another thread has changed the buffer
            events.fail(connection, e);
            return false;
        }
        HeldConnection held = connections.held(connection);
        boolean isHeldBack = held != null && held.isHeldBack();
        if (held != null) {
            held.setStopped(isHeldBack);
        }
        if (reply.isLast || connections.isClosing()) {
            events.leave(connection, Orders.CLOSE, reply.isLast ? CloseReason.CLOSED : CloseReason.SERVER);
            return false;
        }
        return !isHeldBack;
    }
}
