// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.server;

import dev.pollux.internal.arena.Arena;
import dev.pollux.internal.arena.Orders;
import dev.pollux.internal.jdk.DirectMemory;
import dev.pollux.internal.tls.TlsStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLException;

/**
 * Gives what arrives at one {@link ServerLoop} to its handler, and orders what becomes of it.
 *
 * <p>For the loop's thread. Allocation: none for a request that the handler answers at once.
 */
final class LoopRequests {
    private final ServerLoop loop;
    private final Arena arena;
    private final LoopConnections connections;
    private final LoopCounters counters;
    private final int maxRequest;
    private final int maxPending;
    private final HandlerCall loopsCall;
    private final RequestViews views;
    private final ByteBuffer received;
    private final LoopReplies replies;
    private final LongRequests longRequests = new LongRequests();

    /** Bytes that were received, or a long request. */
    private ByteBuffer source;

    /** Whether what there is of a long request of this connection goes on being one. */
    private boolean isCollected;

    /** Whether the source is what was decrypted. */
    private boolean isSecure;

    /** Held connections whose decrypted bytes, or those not decrypted yet, are to be handled in the next batch. */
    private final List<HeldConnection> again = new ArrayList<>();

    LoopRequests(ServerLoop loop, LoopReplies replies, LoopConnections connections, LoopCounters counters,
            HandlerCall call, ServerSettings settings) {
        this.loop = loop;
        this.arena = loop.arena;
        this.replies = replies;
        this.connections = connections;
        this.counters = counters;
        loopsCall = call;
        call.loop = loop;
        maxRequest = settings.maxRequest;
        maxPending = settings.maxPending;
        views = new RequestViews(arena.memory());
        received = arena.memory().duplicate();
    }

    /** The turn has returned: replies were sent or copied. */
    void beginBatch() {
        replies.beginBatch();
        longRequests.beginBatch();
    }

    /** Has the handler take requests from bytes that arrived, and what is there of a long one before them. */
    void serve(long connection, int from, int length) {
        HeldConnection held = connections.held(connection);
        if (held != null && held.tls() != null) {
            serveSecure(held, arena.memory().slice(from, length));
            return;
        }
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

    /** Has a secure connection go on with what it has, in the next batch. */
    void serveAgain(HeldConnection held) {
        again.add(held);
    }

    boolean hasMore() {
        return !again.isEmpty();
    }

    /** What secure connections have been left with by the last batch. */
    void serveMore() {
        List<HeldConnection> due = List.copyOf(again);
        again.clear();
        due.forEach(each -> serveSecure(each, TlsStream.NOTHING));
    }

    /** Decrypts and handles, a record at a time: behind the last one of TLS 1.2 nothing can be answered. */
    void serveSecure(HeldConnection held, ByteBuffer ciphertext) {
        long connection = held.number();
        if (connections.held(connection) != held || !connections.isServed(connection) && !held.awaitsHandshake()) {
            return;
        }
        TlsStream tls = held.tls();
        try {
            boolean hasMore = true;
            boolean takesMore = true;
            while (hasMore && takesMore) {
                hasMore = receive(connection, tls, ciphertext);
                takesMore = serveDecrypted(connection, held);
            }
            for (Runnable task = tls.nextTask(); task != null; task = tls.nextTask()) {
                loop.runTlsTask(task, held);
            }
            if (takesMore || held.awaitsHandshake()) {
                endSecure(connection, held);
            }
        } catch (Throwable e) { // of the engine, the application's managers, or the executor of tasks
            fail(connection, e);
        }
        held.requestUpdate();
    }

    /** Whether more of what was received can be decrypted. */
    private boolean receive(long connection, TlsStream tls, ByteBuffer ciphertext) throws SSLException {
        boolean hasMore = tls.receive(ciphertext, tls.received().remaining());
        if (tls.isEstablished() && !connections.isKnown(connection) && connections.isServed(connection)) {
            open(connection);
        }
        return hasMore;
    }

    /** Whether the handler would take more. If not, it goes on when it is told to. */
    private boolean serveDecrypted(long connection, HeldConnection held) {
        if (connections.state(connection) != LoopConnections.SERVED) {
            return false;
        }
        int waiting = again.size();
        source = held.tls().received();
        if (source.remaining() != held.awaiting()) {
            held.setAwaiting(0);
            serveSource(connection);
            held.tls().trim();
        }
        if (again.size() > waiting || connections.state(connection) != LoopConnections.SERVED) {
            return false;
        }
        if (held.isHeldBack()) {
            held.setStopped(true); // the next update has it go on, if another thread has resumed it meanwhile
            arena.orders().add(connection, Orders.PAUSE);
            return false;
        }
        return true;
    }

    private void serveSource(long connection) {
        isSecure = true;
        try {
            serve(connection);
        } finally {
            isSecure = false;
        }
    }

    /** All that was received has been handled: now the other side's end may be. */
    private void endSecure(long connection, HeldConnection held) {
        TlsStream tls = held.tls();
        if (tls.isEnded() && !held.isAtEnd()) {
            tls.received().position(tls.received().limit());
            tls.trim();
            end(connection);
        } else if (!tls.isEnded() && held.hasReceivedAll() && !tls.awaitsTask()) {
            fail(connection, new SSLException("the connection has ended without close_notify: what came may be cut"));
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
        replies.begin();
        for (int at = source.position(); at < end && at >= 0;) {
            HeldConnection held = connections.held(connection);
            if (held != null && held.isHeldBack()) {
                held.setStopped(true);
                order(connection, Orders.PAUSE, at, end - at);
                return;
            }
            if (replies.replied() >= maxPending || replies.memory().isFull() || !replies.hasRoom()) {
                order(connection, Orders.AGAIN, at, end - at);
                return;
            }
            at = serveOne(connection, held == null ? loopsCall : held.call, at, end);
        }
    }

    /** Orders something with bytes of the source. What was decrypted stays where it is. */
    private void order(long connection, int what, int from, int length) {
        if (!isSecure) {
            arena.orders().add(connection, what, DirectMemory.address(source) + from, length);
        } else if (what == Orders.AGAIN) {
            again.add(connections.held(connection));
        } else {
            arena.orders().add(connection, what);
        }
    }

    /** Where the next request begins; negative if none is to be handled now. */
    private int serveOne(long connection, HandlerCall call, int at, int end) {
        replies.beginCall();
        call.begin(connection);
        call.hasData = true;
        try {
            ByteBuffer view = source == received ? views.of(at, end - at) : source.slice(at, end - at);
            replies.beginData(view);
            call.onData(view);
            return conclude(connection, call, at, at + view.position(), end);
        } catch (Throwable e) { // whatever it is: the other connections go on
            onThrown(connection, e);
            return -1;
        } finally {
            replies.endCall();
            Thread.interrupted(); // it is the handler's: it must not meet the next one
        }
    }

    private int conclude(long connection, HandlerCall call, int at, int next, int end) {
        if (!connections.isServed(connection)) {
            return -1; // it was aborted meanwhile
        }
        if (call.isHandingOver) {
            leave(connection, Orders.RELEASE, Ending.HANDED_OVER, at, end - at);
            return -1;
        }
        if (isSecure && !call.awaitsMore) {
            source.position(next);
        }
        if ((call.awaitsMore || next == at) && !call.isDeferred()) {
            await(connection, call, at, end - at);
            return -1;
        }
        counters.count(LoopCounters.REQUESTS);
        connections.touch(connection);
        if (call.isDeferred()) {
            counters.count(LoopCounters.DEFERRED);
            connections.set(connection, LoopConnections.DEFERRED);
            int left = call.awaitsMore ? at : next;
            order(connection, Orders.PAUSE, left, end - left);
            return -1;
        }
        if (call.isClosing) {
            leave(connection, Orders.CLOSE, Ending.CLOSED);
            return -1;
        }
        return next;
    }

    private void await(long connection, HandlerCall call, int at, int length) {
        if (call.isClosing) {
            leave(connection, Orders.CLOSE, Ending.CLOSED);
            return;
        }
        HeldConnection held = connections.held(connection);
        if (held != null && held.isHeldBack()) { // more would not help
            held.setStopped(true);
            order(connection, Orders.PAUSE, at, length);
            return;
        }
        counters.count(LoopCounters.INCOMPLETE);
        if (length > maxRequest) {
            loop.tell(Trouble.CONNECTION, new IOException("a request is longer than " + maxRequest
                    + " bytes; the builder's maxRequest permits more"), connection);
            leave(connection, Orders.CLOSE, Ending.TOO_LONG);
        } else if (isSecure) {
            held.setAwaiting(length);
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

    /** What is to outlive the calls for a connection of the loop's handler. */
    HeldConnection newHeld() {
        return loopsCall.hold();
    }

    /** A call of the handler that has no data. */
    @FunctionalInterface
    private interface Event {
        void tell(HandlerCall call) throws Exception;
    }

    /** The handler may close the connection in that call: this is why. */
    private void call(long connection, Event event, Ending ending) {
        HandlerCall call = begin(connection);
        try {
            event.tell(call);
            if (call.isClosing) {
                leave(connection, Orders.CLOSE, ending);
            }
        } catch (Throwable e) {
            onThrown(connection, e);
        } finally {
            replies.endCall();
            Thread.interrupted();
        }
    }

    /** A connection has begun. */
    void open(long connection) {
        connections.setKnown(connection);
        call(connection, HandlerCall::onOpen, Ending.CLOSED);
    }

    /** The server is closing. */
    void shutDown(long connection) {
        if (connections.isKnown(connection) && replies.hasRoom()) {
            call(connection, HandlerCall::onShutdown, Ending.SERVER);
        } else {
            leave(connection, Orders.CLOSE, Ending.SERVER);
        }
    }

    /** The other side's stream has ended. */
    void onEnd(long connection) {
        HeldConnection held = connections.held(connection);
        if (held == null || held.tls() == null) {
            end(connection);
        } else {
            held.setReceivedAll();
            serveSecure(held, TlsStream.NOTHING);
        }
    }

    /** The other side sends no more. */
    private void end(long connection) {
        if (!connections.isServed(connection)) {
            return;
        }
        call(connection, HandlerCall::onEnd, Ending.PEER);
        HeldConnection held = connections.held(connection);
        if (held != null && held.onEnd()) {
            leave(connection, Orders.CLOSE, Ending.PEER);
        }
    }

    /** Some of what a held connection was to send was sent. */
    void sent(long connection, long orders) {
        HeldConnection held = connections.held(connection);
        if (held == null) {
            return;
        }
        connections.touch(connection);
        boolean isWritable = held.onSent(orders);
        held.requestUpdate();
        if (isWritable && connections.isServed(connection)) {
            call(connection, HandlerCall::onWritable, Ending.CLOSED);
        }
    }

    /** A connection has ended. */
    void close(long connection) {
        Ending ending = connections.ending(connection);
        HandlerCall call = begin(connection);
        HeldConnection held = connections.held(connection);
        connections.end(connection);
        longRequests.forget(connection);
        close(call, held, ending, call != loopsCall || connections.isKnown(connection));
        connections.forget(connection);
    }

    /** The handler hears of the end of a connection of which it knows, or that it has asked for. */
    void close(HandlerCall call, HeldConnection held, Ending ending, boolean isKnown) {
        if (held != null) {
            held.end(ending == Ending.HANDED_OVER);
        }
        if (!isKnown) {
            return;
        }
        try {
            call.onClose(ending);
        } catch (Throwable e) {
            Thread.interrupted();
            loop.tell(Trouble.HANDLER, e, 0);
        } finally {
            Thread.interrupted();
        }
    }

    private HandlerCall begin(long connection) {
        HeldConnection held = connections.held(connection);
        HandlerCall call = held == null ? loopsCall : held.call;
        replies.begin();
        replies.beginCall();
        call.begin(connection);
        return call;
    }

    private void onThrown(long connection, Throwable error) {
        Thread.interrupted(); // it is the handler's: it must not meet the error handler either
        loop.tell(Trouble.HANDLER, error, connection);
        if (replies.hasSentInCall()) {
            setLeaving(connection, Ending.THROWN);
            arena.orders().add(connection, Orders.ABORT, 0, 1); // as if a byte were cut
        } else {
            leave(connection, Orders.CLOSE, Ending.THROWN);
        }
    }

    void finishDeferred(DeferredReply reply, ByteBuffer... parts) {
        long connection = reply.connection;
        if (connections.state(connection) != LoopConnections.DEFERRED) {
            return;
        }
        connections.set(connection, LoopConnections.SERVED);
        try {
            for (ByteBuffer part : parts) {
                replies.sendLater(connection, part);
            }
        } catch (RuntimeException | Error e) { // no memory, or another thread has changed the buffer
            fail(connection, e);
            return;
        }
        HeldConnection held = connections.held(connection);
        boolean isHeldBack = held != null && held.isHeldBack();
        if (held != null) {
            held.setStopped(isHeldBack);
        }
        if (reply.isLast || loop.isClosing) {
            leave(connection, Orders.CLOSE, reply.isLast ? Ending.CLOSED : Ending.SERVER);
        } else if (!isHeldBack) {
            resume(connection);
        }
    }

    /** Receives again, and handles what was received. */
    void resume(long connection) {
        HeldConnection held = connections.held(connection);
        arena.orders().add(connection, Orders.RESUME);
        if (held != null && held.tls() != null) {
            held.setAwaiting(0);
            again.add(held);
        }
    }

    /** A connection is of no more use. */
    void fail(long connection, Throwable error) {
        loop.tell(Trouble.CONNECTION, error, connection);
        HeldConnection held = connections.held(connection);
        if (held != null) {
            held.drop();
        }
        leave(connection, Orders.CLOSE, Ending.FAILED);
    }

    /** Has a connection end, for the first reason that there is; a held one when all that it has accepted was sent. */
    void leave(long connection, int order, Ending ending) {
        leave(connection, order, ending, 0, 0);
    }

    /** The same, with bytes of the source. */
    private void leave(long connection, int order, Ending ending, int from, int length) {
        setLeaving(connection, ending);
        HeldConnection held = connections.held(connection);
        int now = held == null || order == Orders.ABORT || held.finish(order) ? order : Orders.PAUSE;
        if (now == Orders.PAUSE && held.awaitsHandshake()) {
            return; // which goes on
        }
        if (length > 0) {
            order(connection, now, from, length);
        } else {
            arena.orders().add(connection, now);
        }
    }

    void setLeaving(long connection, Ending ending) {
        if (connections.leave(connection, ending)) {
            counters.count(ending.counter);
        }
    }
}
