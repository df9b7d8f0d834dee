// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.server;

import java.nio.ByteBuffer;

/**
 * The call that a loop makes of its handler now, and the connection that it is for. One object for each loop. For its
 * thread. A handler's Javadoc says what its results mean.
 */
public abstract class HandlerCall {
    /** The request is not complete. */
    public static final ByteBuffer MORE = ByteBuffer.allocate(0).asReadOnlyBuffer();

    /** What was consumed needs no reply now. */
    public static final ByteBuffer NONE = ByteBuffer.allocate(0).asReadOnlyBuffer();

    ServerLoop loop;
    private long connection;

    /** The loop's thread, which called the handler. */
    private Thread caller;

    private DeferredReply deferred;
    boolean isClosing;

    protected abstract ByteBuffer handle(ByteBuffer data) throws Exception;

    final void begin(long number) {
        connection = number;
        deferred = null;
        isClosing = false;
        caller = Thread.currentThread();
    }

    private void requireCaller() {
        if (caller != Thread.currentThread()) {
            throw new IllegalStateException("an Exchange is for the handler's thread, during its call: call defer()"
                    + " there, and give another thread the Reply");
        }
    }

    final boolean isDeferred() {
        return deferred != null;
    }

    public final long id() {
        requireCaller();
        return connection;
    }

    /** The reply of this call is given later, by this object, which was made for it; returns it. */
    protected final <R extends DeferredReply> R defer(R reply) {
        if (isDeferred()) {
            throw new IllegalStateException("the reply of this request is deferred already");
        }
        deferred = reply;
        if (isClosing) {
            reply.isLast = true;
        }
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
