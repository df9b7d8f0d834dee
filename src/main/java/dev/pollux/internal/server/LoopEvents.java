// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.server;

import dev.pollux.internal.arena.Arena;
import dev.pollux.internal.arena.Orders;
import dev.pollux.internal.count.LoopStatistics;

/**
 * Tells a loop's handler what happens to connections beside their data, and has connections end.
 *
 * <p>For the loop's thread. Allocation: none.
 */
final class LoopEvents {
    private final ServerLoop loop;
    private final Arena arena;
    private final LoopConnections connections;
    private final LoopStatistics statistics;
    private final LoopReplies replies;
    private final HandlerCall loopsCall;
    final LingeringClose lingering = new LingeringClose();

    LoopEvents(ServerLoop loop, LoopReplies replies, LoopConnections connections, LoopStatistics statistics,
            HandlerCall call) {
        this.loop = loop;
        this.arena = loop.arena;
        this.replies = replies;
        this.connections = connections;
        this.statistics = statistics;
        loopsCall = call;
        call.loop = loop;
    }

    /** What is to outlive the calls for a connection of the loop's handler. */
    HeldConnection newHeld() {
        return loopsCall.hold();
    }

    /** A call of the handler that has no data. */
    @FunctionalInterface
    private interface Event {
        void tell(HandlerCall call) throws Throwable;
    }

    /** The handler may close the connection in that call: this is why. */
    private void call(long connection, Event event, Ending ending) {
        replies.begin();
        HandlerCall call = begin(connection);
        try {
            event.tell(call);
            if (call.isClosing) {
                leave(connection, Orders.CLOSE, ending);
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
        call(connection, HandlerCall::onOpen, Ending.CLOSED);
        HeldConnection held = connections.held(connection);
        if (held != null && held.awaitsMemory()) { // from before: only now can it hear that there is some
            loop.awaitMemory(held);
        }
    }

    /** The server is closing. */
    void shutDown(long connection) {
        if (connections.isKnown(connection) && replies.hasRoom()) {
            call(connection, HandlerCall::onShutdown, Ending.SERVER);
        } else {
            leave(connection, Orders.CLOSE, Ending.SERVER);
        }
    }

    /** The other side sends no more. */
    void end(long connection) {
        if (!connections.isServed(connection)) {
            return;
        }
        connections.endRequest(connection);
        call(connection, HandlerCall::onEnd, Ending.PEER);
        HeldConnection held = connections.held(connection);
        if (held != null && held.onEnd()) {
            leave(connection, Orders.CLOSE, Ending.PEER);
        }
    }

    /** A request is not to be handled. Its handler may still reply, and the other side gets that if it sends more. */
    void refuse(long connection, Ending ending) {
        replies.begin();
        HandlerCall call = begin(connection);
        try {
            call.onRefused(ending);
            HeldConnection held = connections.held(connection);
            boolean lingers = replies.hasSentInCall() || held != null && held.pending() > 0;
            leave(connection, lingers ? Orders.SHUTDOWN : Orders.CLOSE, ending);
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
            leave(connection, Orders.CLOSE, connections.ending(connection));
        }
        return lingers;
    }

    /** Closes connections that have lingered for long enough. */
    void endLingering() {
        for (long each = lingering.takeDue(); each != 0; each = lingering.takeDue()) {
            leave(each, Orders.CLOSE, connections.ending(each));
        }
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
            call(connection, HandlerCall::onWritable, Ending.CLOSED);
        }
    }

    /** Runs a task of a connection, as a call of its handler. */
    void run(HeldConnection held, LoopTask task) {
        if (connections.held(held.number()) == held && connections.isServed(held.number())) {
            call(held.number(), call -> task.runOnce(), Ending.CLOSED);
        } else {
            task.cancel(false);
        }
    }

    /** There is memory again for what a held connection sends. */
    void writable(HeldConnection held) {
        long connection = held.number();
        if (connections.held(connection) == held && connections.isKnown(connection)
                && connections.isServed(connection) && held.isWritable()) {
            call(connection, HandlerCall::onWritable, Ending.CLOSED);
        }
    }

    /** A connection has ended. */
    void close(long connection) {
        lingering.end(connection);
        Ending ending = connections.ending(connection);
        HandlerCall call = begin(connection);
        HeldConnection held = connections.held(connection);
        connections.end(connection);
        try {
            close(call, held, ending, call != loopsCall || connections.isKnown(connection));
        } finally {
            connections.forget(connection);
        }
    }

    /** The handler hears of the end of a connection of which it knows, or that it has asked for. */
    void close(HandlerCall call, HeldConnection held, Ending ending, boolean isKnown) {
        try {
            if (held != null) {
                loop.forget(held);
                held.end(ending == Ending.HANDED_OVER);
            }
        } finally {
            if (isKnown) {
                tellClosed(call, ending);
            }
        }
    }

    private void tellClosed(HandlerCall call, Ending ending) {
        try {
            call.onClose(ending);
        } catch (Throwable e) {
            Thread.interrupted();
            loop.tell(Trouble.HANDLER, e, 0);
        } finally {
            Thread.interrupted();
        }
    }

    /** Begins a call of the handler of a connection. */
    HandlerCall begin(long connection) {
        HeldConnection held = connections.held(connection);
        HandlerCall call = held == null ? loopsCall : held.call;
        replies.beginCall();
        call.begin(connection);
        return call;
    }

    /** It has returned, or thrown. */
    void endCall() {
        Thread.interrupted(); // it is the handler's: it must not meet the next one
        replies.endCall();
    }

    void onThrown(long connection, Throwable error) {
        Thread.interrupted(); // it is the handler's: it must not meet the error handler either
        loop.tell(Trouble.HANDLER, error, connection);
        if (replies.hasSentInCall()) {
            setLeaving(connection, Ending.THROWN);
            dropHeld(connection);
            arena.orders().add(connection, Orders.ABORT, 0, 1); // as if a byte were cut
        } else {
            leave(connection, Orders.CLOSE, Ending.THROWN);
        }
    }

    /** A connection is of no more use. */
    void fail(long connection, Throwable error) {
        loop.tell(Trouble.CONNECTION, error, connection);
        dropHeld(connection);
        leave(connection, Orders.CLOSE, Ending.FAILED);
    }

    /**
     * What the loop does for a connection has failed, so it is not known what of it was done: it is reset, whatever it
     * was to end for. Only the first failure of a connection is told.
     */
    void breakOff(long connection, Throwable error) {
        if (connections.state(connection) == LoopConnections.NONE) {
            loop.tell(Trouble.CONNECTION, error, 0);
            return;
        }
        HeldConnection held = connections.held(connection);
        if (held != null) {
            held.breakOff();
        }
        Ending ending = connections.ending(connection);
        boolean isTold = ending == Ending.FAILED || ending == Ending.THROWN;
        if (!isTold && connections.fail(connection)) {
            statistics.add(Ending.FAILED.counter, 1);
        }
        arena.orders().add(connection, Orders.ABORT, 0, 1); // as if a byte were cut
        if (!isTold) {
            loop.tell(Trouble.CONNECTION, error, connection);
        }
    }

    private void dropHeld(long connection) {
        HeldConnection held = connections.held(connection);
        if (held != null) {
            held.drop();
        }
    }

    /** Has a connection end, for the first reason that there is; a held one when all that it has accepted was sent. */
    void leave(long connection, int order, Ending ending) {
        int now = beginLeaving(connection, order, ending);
        if (now != HeldConnection.NO_ORDER) {
            arena.orders().add(connection, now);
        }
    }

    /** The same, but returns what is to be ordered now, with the data that is left. A handshake goes on before that. */
    int beginLeaving(long connection, int order, Ending ending) {
        setLeaving(connection, ending);
        HeldConnection held = connections.held(connection);
        if (held == null || order == Orders.ABORT || held.finish(order)) {
            return order;
        }
        boolean goesOn = order == Orders.SHUTDOWN || held.awaitsHandshake();
        return goesOn ? HeldConnection.NO_ORDER : Orders.PAUSE;
    }

    void setLeaving(long connection, Ending ending) {
        if (connections.leave(connection, ending)) {
            statistics.add(ending.counter, 1);
        }
    }
}
