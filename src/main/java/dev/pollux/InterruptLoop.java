// SPDX-License-Identifier: Apache-2.0
package dev.pollux;

import dev.pollux.internal.arena.Arena;
import dev.pollux.internal.arena.Arrivals;
import dev.pollux.internal.arena.Orders;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * One thread of an {@link InterruptServer}: an arena, a handler, and connections, each of which is a number and a place
 * in two arrays.
 *
 * <p>For its own thread, but {@link #post}. Allocation: none for a request that the handler answers at once.
 */
final class InterruptLoop implements Runnable {
    private static final int NOT_THERE = 0, SERVED = 1, DEFERRED = 2;

    /** Orders for one request: a reply, and what becomes of the rest. */
    private static final int ORDERS_OF_A_CALL = 2;

    /** What other threads ask for. */
    @FunctionalInterface
    interface Task {
        /** Does it, in the loop's thread. */
        void run() throws IOException;
    }

    private final InterruptServer server;
    private final Arena arena;
    private final Interruptlet handler;
    private final Isocket isocket = new Isocket(this);
    private final ByteBuffer view;
    private final ReplyWriter replies;
    private final ConcurrentLinkedQueue<Task> tasks = new ConcurrentLinkedQueue<>();

    /** Set before a turn that may wait, and by who wakes it: a loop that is busy is not woken. */
    private final AtomicBoolean waits = new AtomicBoolean();

    private final long[] connections;
    private final byte[] states;
    private long listening;
    private int open;
    private boolean isClosing;
    private long deadline;

    InterruptLoop(InterruptServer server, Arena arena, Interruptlet handler, int maxConnections) {
        this.server = server;
        this.arena = arena;
        this.handler = handler;
        view = arena.memory().duplicate();
        replies = new ReplyWriter(arena, server.residentMemory());
        connections = new long[maxConnections + 1];
        states = new byte[maxConnections + 1];
    }

    Arena arena() {
        return arena;
    }

    void listen(int descriptor) throws IOException {
        listening = arena.listen(descriptor);
    }

    /** Has the loop do something. Any thread. */
    void post(Task task) {
        tasks.add(task);
        if (waits.compareAndSet(true, false)) {
            arena.wakeup();
        }
    }

    @Override
    public void run() {
        try {
            while (!isDone()) {
                serveBatch();
            }
        } catch (IOException | RuntimeException | Error e) {
            server.onLoopError(e);
        } finally {
            arena.close();
            server.onLoopEnd();
        }
    }

    private boolean isDone() {
        return isClosing && (open == 0 || System.nanoTime() - deadline >= 0);
    }

    private void serveBatch() throws IOException {
        waits.set(true);
        int arrived = arena.turn(!tasks.isEmpty() ? 0 : isClosing ? Math.max(0, deadline - System.nanoTime()) : -1);
        waits.set(false);
        replies.reset();
        for (int i = 0; i < arrived; i++) {
            look(i);
        }
        for (Task task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
        }
    }

    private void look(int arrival) {
        Arrivals arrivals = arena.arrivals();
        long connection = arrivals.connection(arrival);
        switch (arrivals.what(arrival)) {
            case Arrivals.DATA -> serve(connection, arrivals.bytes(arrival), arrivals.length(arrival));
            case Arrivals.ACCEPTED -> begin(connection);
            case Arrivals.END -> arena.orders().add(connection, Orders.CLOSE);
            case Arrivals.ERROR -> fail(connection, arrivals.detail(arrival));
            case Arrivals.UNSENT -> arena.orders().add(connection, Orders.ABORT);
            case Arrivals.CLOSED -> end(connection);
            case Arrivals.RELEASED -> release(connection, arrival);
            default -> { }
        }
    }

    private void begin(long connection) {
        connections[Arena.indexOf(connection)] = connection;
        states[Arena.indexOf(connection)] = SERVED;
        open++;
        if (isClosing) {
            arena.orders().add(connection, Orders.CLOSE);
        }
    }

    private void end(long connection) {
        if (connection != listening) {
            states[Arena.indexOf(connection)] = NOT_THERE;
            open--;
        }
    }

    private void fail(long connection, long code) {
        if (connection == listening) {
            server.onError(new IOException("accepting: " + Arena.describe(code)));
            arena.orders().add(connection, Orders.RESUME);
        } else {
            arena.orders().add(connection, Orders.CLOSE);
        }
    }

    /** Has the handler take requests from bytes that arrived, until it has taken all or takes no more. */
    private void serve(long connection, int from, int length) {
        int end = from + length;
        for (int at = from; at < end;) {
            if (arena.orders().room() < ORDERS_OF_A_CALL * (1 + open)) {
                arena.orders().addWith(connection, Orders.AGAIN, at, end - at);
                return;
            }
            int next = serveOne(connection, at, end);
            if (next < 0) {
                return;
            }
            at = next;
        }
    }

    /** Where the next request begins; negative if none is to be handled now. */
    private int serveOne(long connection, int at, int end) {
        ByteBuffer reply;
        isocket.begin(connection);
        view.limit(end).position(at);
        try {
            reply = handler.handleInterrupt(view, isocket);
        } catch (Exception | StackOverflowError | OutOfMemoryError | AssertionError e) {
            server.onError(e);
            arena.orders().add(connection, Orders.CLOSE);
            return -1;
        }
        int next = view.position();
        if (reply == Interruptlet.MORE) {
            arena.orders().addWith(connection, Orders.KEEP, at, end - at);
            return -1;
        }
        if (reply == null) {
            arena.orders().addWith(connection, Orders.RELEASE, at, end - at);
            return -1;
        }
        if (next <= at || next > end) {
            server.onError(new IllegalStateException("a handler consumed nothing of a request: " + handler));
            arena.orders().add(connection, Orders.CLOSE);
            return -1;
        }
        return answer(connection, reply, at, next, end);
    }

    private int answer(long connection, ByteBuffer reply, int at, int next, int end) {
        if (isocket.isDeferred()) {
            states[Arena.indexOf(connection)] = DEFERRED;
            arena.orders().addWith(connection, Orders.PAUSE, next, end - next);
            return -1;
        }
        if (reply == view) {
            arena.orders().addWith(connection, Orders.SEND, at, next - at);
        } else if (reply != Interruptlet.NONE) {
            replies.send(connection, reply);
        }
        if (isocket.isClosing()) {
            arena.orders().add(connection, Orders.CLOSE);
            return -1;
        }
        return next;
    }

    /** A deferred reply was given. */
    void finishDeferred(long connection, ByteBuffer bytes, boolean closes) {
        int index = Arena.indexOf(connection);
        if (connections[index] != connection || states[index] != DEFERRED) {
            return;
        }
        states[index] = SERVED;
        replies.send(connection, bytes);
        arena.orders().add(connection, closes || isClosing ? Orders.CLOSE : Orders.RESUME);
    }

    private void release(long connection, int arrival) {
        Arrivals arrivals = arena.arrivals();
        end(connection);
        server.handOver((int) arrivals.detail(arrival), arrivals.unread(arrival));
    }

    /** Takes a connection over. */
    void adopt(int descriptor, byte[] unread) throws IOException {
        begin(arena.adopt(descriptor, unread));
    }

    /** Accepts no more, and ends when every connection has, or at the deadline. */
    void finish(long nanoTime) {
        isClosing = true;
        deadline = nanoTime;
        arena.orders().add(listening, Orders.CLOSE);
        for (int i = 0; i < connections.length; i++) {
            if (states[i] == SERVED) {
                arena.orders().add(connections[i], Orders.CLOSE);
            }
        }
    }
}
