// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.server;

import java.nio.ByteBuffer;

/**
 * The call that a loop makes of a handler now, and the connection that it is for. One object for each loop, and one for
 * each connection that has a handler of its own. For the loop's thread. The Javadoc of what a handler sees says what
 * its methods mean.
 */
public abstract class HandlerCall {
    /** Set before the first call. */
    ServerLoop loop;

    private long connection;

    /** The loop's thread, which called the handler. */
    private Thread caller;

    private DeferredReply deferred;

    /** It has data: only the reply to that can be deferred. */
    boolean hasData;

    boolean isClosing;
    boolean isHandingOver;
    boolean awaitsMore;
    boolean continues;

    protected abstract void onData(ByteBuffer data) throws Exception;

    protected abstract void onOpen() throws Exception;

    protected abstract void onEnd() throws Exception;

    protected abstract void onWritable() throws Exception;

    protected abstract void onShutdown() throws Exception;

    protected abstract void onRefused(Ending reason) throws Exception;

    protected abstract void onClose(Ending reason) throws Exception;

    /** Makes what outlives the call, of a connection whose handler this calls. */
    protected abstract HeldConnection hold();

    final void begin(long number) {
        connection = number;
        deferred = null;
        isClosing = false;
        isHandingOver = false;
        awaitsMore = false;
        continues = false;
        hasData = false;
        caller = Thread.currentThread();
    }

    private void requireCaller() {
        if (caller != Thread.currentThread()) {
            throw new IllegalStateException("an Exchange is for the handler's thread, during its call: give another"
                    + " thread its connection(), or the Reply of defer()");
        }
    }

    final boolean isDeferred() {
        return deferred != null;
    }

    public final long id() {
        requireCaller();
        return connection;
    }

    public final Object attachment() {
        requireCaller();
        return loop.attachment(connection);
    }

    public final Object attach(Object next) {
        requireCaller();
        return loop.attach(connection, next);
    }

    public final void send(ByteBuffer bytes) {
        requireCaller();
        loop.replies().send(connection, bytes);
    }

    public final void awaitMore() {
        requireCaller();
        awaitsMore = true;
    }

    public final void continueRequest() {
        requireCaller();
        continues = true;
    }

    protected final void setTimeout(TimedPhase phase, long limit) {
        requireCaller();
        loop.setTimeout(connection, phase, limit);
    }

    public final void handOver() {
        requireCaller();
        isHandingOver = true;
    }

    /** What outlives the call; made when it is asked for first. */
    protected final HeldConnection held() {
        requireCaller();
        return loop.hold(connection, this);
    }

    /** The reply of this call that is given later; null: none is yet. */
    protected final DeferredReply deferred() {
        requireCaller();
        if (!hasData) {
            throw new IllegalStateException("only the reply to data can be deferred: others send by connection()");
        }
        return deferred;
    }

    /** The reply of this call is given later, by this object, which was made for it; returns it. */
    protected final <R extends DeferredReply> R defer(R reply) {
        deferred = reply;
        reply.isLast = isClosing;
        return reply;
    }

    /** Closes the connection when all was sent. */
    public final void close() {
        requireCaller();
        isClosing = true;
        if (isDeferred()) {
            deferred.isLast = true;
        }
    }
}
