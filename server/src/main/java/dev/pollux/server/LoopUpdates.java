// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import dev.pollux.internal.arena.Orders;
import java.util.ArrayDeque;

/**
 * Orders what held connections of a loop were asked for: to send, to receive no more for now, to end. Each is updated
 * at the end of a round, once, however much it was asked for.
 *
 * <p>For the loop's thread, but {@link #post}. Allocation: for what other threads ask for.
 */
final class LoopUpdates {
    private final LoopThread thread;
    private final Orders orders;
    private final LoopConnections connections;
    private final LoopEvents events;
    private final SecureRequests secureRequests;

    /** Those that are to be updated at the end of this round, or of a later one. */
    private final ArrayDeque<HeldConnection> due = new ArrayDeque<>();

    LoopUpdates(LoopThread thread, Orders orders, LoopConnections connections, LoopEvents events,
            SecureRequests secureRequests) {
        this.thread = thread;
        this.orders = orders;
        this.connections = connections;
        this.events = events;
        this.secureRequests = secureRequests;
    }

    /** Has one updated. Any thread. */
    void post(HeldConnection held) {
        if (thread.isCurrent()) {
            due.add(held);
        } else {
            thread.post(() -> addIfRunning(held));
        }
    }

    private void addIfRunning(HeldConnection held) {
        try {
            if (thread.isCurrent()) {
                due.add(held);
            }
        } catch (Throwable e) { // no memory
            events.onFailure(held.number(), e);
        }
    }

    boolean isEmpty() {
        return due.isEmpty();
    }

    /** Updates as many as there is room for: each was asked for once, but may have much to order. */
    void run() {
        while (!due.isEmpty() && orders.room() >= HeldConnection.MAX_ORDERS) {
            HeldConnection held = due.poll();
            try {
                update(held);
            } catch (Throwable e) { // of the engine, say, which is to end TLS
                events.onFailure(held.number(), e);
            }
        }
    }

    private void update(HeldConnection held) {
        Throwable failed = held.takeFailure();
        if (failed != null) {
            events.tell(ServerErrorHandler.Place.CONNECTION, failed, held.number());
        }
        boolean fails;
        synchronized (held) {
            fails = held.beginUpdate() && !orderAll(held, failed != null ? CloseReason.FAILED : CloseReason.CLOSED);
        }
        if (fails) { // without the lock: the error handler may wait for who sends
            events.failWhileEnding(held);
        } else if (held.endsLater && !held.isPaused()) {
            events.end(held.number());
        }
    }

    /** For this reason if it aborts. False if TLS has failed, and the error handler is to be told. */
    private boolean orderAll(HeldConnection held, CloseReason reason) {
        ConnectionState state = held.state();
        if (state.isAborted()) {
            events.setLeaving(held.number(), reason);
            int dropped = (int) Math.min(held.outbound().pending(), Integer.MAX_VALUE);
            orders.add(held.number(), Orders.ABORT, 0, state.isCut() ? Math.max(1, dropped) : dropped);
            return true;
        }
        if (held.awaitsMemory()) {
            events.awaitMemory(held);
        }
        openIfNew(held);
        held.orderOutbound();
        if (state.isShuttingDown() && held.isFlushed()) {
            held.shutDownNow();
        }
        if (!state.isOpen() && (held.lastOrder() == Orders.CLOSE || held.lastOrder() == Orders.SHUTDOWN)) {
            held.sayEnd();
        }
        if (held.hasUntoldFailure()) {
            return false;
        }
        if (!state.isOpen()) {
            leave(held, state.isFinished() ? CloseReason.PEER : CloseReason.CLOSED);
        } else if (held.isToStop() != held.isStopped()
                && connections.state(held.number()) == ServiceState.SERVED) {
            setStopped(held, !held.isStopped());
        }
        return true;
    }

    /** A thread that has sent something may have finished the handshake: then the handler is to hear of it. */
    private void openIfNew(HeldConnection held) {
        if (held.tls() != null && held.outbound().isEstablished() && !connections.isKnown(held.number())) {
            secureRequests.serveAgain(held);
        }
    }

    private void leave(HeldConnection held, CloseReason reason) {
        events.setLeaving(held.number(), reason);
        if (held.lastOrder() == Orders.ABORT) {
            orders.add(held.number(), Orders.ABORT, 0, 1); // as if a byte were cut: close_notify is
            return;
        }
        if (held.isFlushed()) {
            orders.add(held.number(), held.lastOrder());
        }
        if (held.isStopped() && held.outbound().awaitsHandshake() && !held.outbound().isFull()) {
            setStopped(held, false);
        }
    }

    private void setStopped(HeldConnection held, boolean stops) {
        held.setStopped(stops);
        if (stops) {
            orders.add(held.number(), Orders.PAUSE);
        } else {
            secureRequests.resume(held.number());
        }
    }
}
