// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import java.nio.ByteBuffer;
import java.time.Duration;

/**
 * The call that a loop makes of a handler now, and the connection that it is for: what the handler sees of it. One
 * object for each loop. For the loop's thread.
 */
final class HandlerCall implements Exchange {
    private final StreamServer server;
    private final LoopConnections connections;
    private final LoopReplies replies;
    private final DeferredReply.Loop loop;

    /** Of the connections that have none of their own. */
    private final ConnectionHandler handlerOfLoop;

    private ConnectionHandler handler;
    private long connection;

    private Thread caller;

    /** Null until the handler defers its reply. */
    private DeferredReply deferred;

    /** It has data: only the reply to that can be deferred. */
    private boolean hasData;

    boolean isClosing;
    boolean isHandingOver;
    boolean awaitsMore;
    boolean continues;

    HandlerCall(StreamServer server, ConnectionHandler handlerOfLoop, LoopConnections connections, LoopReplies replies,
            DeferredReply.Loop loop) {
        this.server = server;
        this.handlerOfLoop = handlerOfLoop;
        this.connections = connections;
        this.replies = replies;
        this.loop = loop;
    }

    /** A call for a connection begins, which has a handler of its own, or none (null). */
    void begin(long number, ConnectionHandler own) {
        connection = number;
        handler = own == null ? handlerOfLoop : own;
        deferred = null;
        isClosing = false;
        isHandingOver = false;
        awaitsMore = false;
        continues = false;
        hasData = false;
        caller = Thread.currentThread();
    }

    void onData(ByteBuffer data) throws Exception {
        hasData = true;
        handler.onData(data, this);
    }

    ConnectionHandler handler() {
        return handler;
    }

    boolean isDeferred() {
        return deferred != null;
    }

    private void requireCaller() {
        if (caller != Thread.currentThread()) {
            throw new IllegalStateException("an Exchange is for the handler's thread, during its call: give another"
                    + " thread its connection(), or the Reply of defer()");
        }
    }

    @Override
    public StreamServer server() {
        return server;
    }

    @Override
    public long id() {
        requireCaller();
        return connection;
    }

    @Override
    public Object attachment() {
        requireCaller();
        return connections.attachment(connection);
    }

    @Override
    public Object attach(Object next) {
        requireCaller();
        return connections.attach(connection, next);
    }

    @Override
    public void send(ByteBuffer bytes) {
        requireCaller();
        replies.send(connection, bytes);
    }

    @Override
    public void awaitMore() {
        requireCaller();
        awaitsMore = true;
    }

    @Override
    public void continueRequest() {
        requireCaller();
        continues = true;
    }

    @Override
    public void setTimeout(Phase phase, Duration time) {
        requireCaller();
        connections.setTimeout(connection, phase, LoopTimeouts.limit(time));
    }

    @Override
    public Reply defer() {
        requireCaller();
        if (!hasData) {
            throw new IllegalStateException("only the reply to data can be deferred: others send by connection()");
        }
        if (deferred == null) {
            deferred = new DeferredReply(loop, connection);
            deferred.isLast = isClosing;
        }
        return deferred;
    }

    @Override
    public void handOver() {
        requireCaller();
        isHandingOver = true;
    }

    @Override
    public void close() {
        requireCaller();
        isClosing = true;
        if (isDeferred()) {
            deferred.isLast = true;
        }
    }

    @Override
    public Connection connection() {
        requireCaller();
        return connections.hold(connection);
    }

    /** For messages about it. */
    @Override
    public String toString() {
        return String.valueOf(handler);
    }
}
