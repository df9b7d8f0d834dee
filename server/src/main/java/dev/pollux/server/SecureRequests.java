// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import dev.pollux.internal.arena.Orders;
import dev.pollux.internal.tls.TlsStream;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.concurrent.Executor;
import javax.net.ssl.SSLException;

/**
 * Decrypts what arrives at one loop by TLS, and gives it to {@link LoopRequests}. What the handler leaves
 * stays in the connection's {@link TlsStream}.
 *
 * <p>For the loop's thread. Allocation: that of the engines.
 */
final class SecureRequests {
    private final LoopThread thread;
    private final Executor executor;
    private final Orders orders;
    private final LoopConnections connections;
    private final LoopRequests requests;
    private final LoopEvents events;

    /** Connections whose bytes are to be handled in the next round. */
    private final ArrayDeque<HeldConnection> again = new ArrayDeque<>();

    /** An executor runs what takes long in a handshake. */
    SecureRequests(LoopThread thread, Executor executor, Orders orders, LoopConnections connections,
            LoopRequests requests, LoopEvents events) {
        this.thread = thread;
        this.executor = executor;
        this.orders = orders;
        this.connections = connections;
        this.requests = requests;
        this.events = events;
    }

    /** Begins TLS. The handler hears of the connection when that is established, as one from a slow path may be. */
    void open(HeldConnection held) {
        if (held.tls().stream.isEstablished()) {
            events.open(held.number());
        }
        serveAgain(held);
    }

    /** Has a connection go on with what it has, in the next round. */
    void serveAgain(HeldConnection held) {
        again.add(held);
    }

    boolean hasMore() {
        return !again.isEmpty();
    }

    /** What secure connections have been left with by the last round. */
    void serveMore() {
        for (int due = again.size(); due > 0; due--) {
            HeldConnection each = again.poll();
            try {
                serve(each, TlsStream.NOTHING);
            } catch (Throwable e) {
                events.onFailure(each.number(), e);
            }
        }
    }

    /** Decrypts and handles, a record at a time: behind the last one of TLS 1.2 nothing can be answered. */
    void serve(HeldConnection held, ByteBuffer ciphertext) {
        long connection = held.number();
        if (connections.held(connection) != held
                || !connections.isServed(connection) && !held.outbound().awaitsHandshake()) {
            return;
        }
        TlsStream tls = held.tls().stream;
        try {
            boolean hasMore = true;
            boolean takesMore = true;
            while (hasMore && takesMore) {
                hasMore = receive(connection, tls, ciphertext);
                takesMore = serveDecrypted(connection, held);
            }
            for (Runnable task = tls.nextTask(); task != null; task = tls.nextTask()) {
                runTask(task, held);
            }
            if (tls.isFull()) {
                stop(connection, held);
            }
            if (takesMore || held.outbound().awaitsHandshake()) {
                end(connection, held);
            }
        } catch (Throwable e) { // of the engine, the application's managers, or the executor of tasks
            events.fail(connection, e);
        }
        held.requestUpdate();
    }

    /** Whether more of what was received can be decrypted. */
    private boolean receive(long connection, TlsStream tls, ByteBuffer ciphertext) throws SSLException {
        boolean hasMore = tls.receive(ciphertext, tls.received().remaining());
        if (tls.isEstablished() && !connections.isKnown(connection) && connections.isServed(connection)) {
            events.open(connection);
        }
        return hasMore;
    }

    /** Whether the handler would take more. If not, it goes on when it is told to. */
    private boolean serveDecrypted(long connection, HeldConnection held) {
        if (connections.state(connection) != ServiceState.SERVED) {
            return false;
        }
        TlsStream tls = held.tls().stream;
        if (tls.received().remaining() != held.tls().awaiting) {
            held.tls().awaiting = 0;
            boolean isAgain = requests.serveDecrypted(connection, tls.received());
            tls.trim();
            if (isAgain) {
                again.add(held);
                return false;
            }
        }
        if (connections.state(connection) != ServiceState.SERVED) {
            return false;
        }
        if (held.isToStop()) {
            stop(connection, held);
            return false;
        }
        return true;
    }

    /** Receives no more for now. The next update has it go on, if another thread has resumed it meanwhile. */
    private void stop(long connection, HeldConnection held) {
        held.setStopped(true);
        orders.add(connection, Orders.PAUSE);
    }

    /** Has the executor run what TLS computes; then the connection goes on, or ends if that was held up. */
    private void runTask(Runnable task, HeldConnection held) {
        executor.execute(() -> {
            task.run();
            thread.post(() -> onTaskEnd(held));
        });
    }

    private void onTaskEnd(HeldConnection held) {
        try {
            serve(held, TlsStream.NOTHING);
            held.requestUpdate();
        } catch (Throwable e) {
            events.onFailure(held.number(), e);
        }
    }

    /** A connection by TLS; null: it is none. */
    HeldConnection of(long connection) {
        HeldConnection held = connections.held(connection);
        return held == null || held.tls() == null ? null : held;
    }

    /** Has a connection receive again, and handle what was received. */
    void resume(long connection) {
        HeldConnection held = of(connection);
        orders.add(connection, Orders.RESUME);
        if (held != null) {
            held.tls().awaiting = 0;
            serveAgain(held);
        }
    }

    /** All that was received has been handled: now the other side's end may be. */
    private void end(long connection, HeldConnection held) {
        TlsStream tls = held.tls().stream;
        if (tls.isEnded() && !held.isAtEnd()) {
            tls.received().position(tls.received().limit());
            tls.trim();
            events.end(connection);
        } else if (!tls.isEnded() && held.tls().hasReceivedAll && !tls.awaitsTask()) {
            events.fail(connection,
                    new SSLException("the connection has ended without close_notify: what came may be cut"));
        }
    }

    /** The socket has received its end. */
    void onEnd(HeldConnection held) {
        held.tls().hasReceivedAll = true;
        serve(held, TlsStream.NOTHING);
    }
}
