// SPDX-License-Identifier: Apache-2.0
package dev.pollux;

/**
 * A connection as an {@link Interruptlet} sees it, during one call. There is one object for each loop, not for each
 * connection.
 *
 * <p>For the loop's thread, during the call; another thread gets an IllegalStateException. A task for another thread
 * takes a {@link Reply} with it, or the {@link #id}, not this object. Allocation: {@link #defer} alone.
 */
public final class Isocket {
    private final InterruptServer server;
    private final InterruptLoop loop;
    private long connection;

    /** The loop's thread, which called the handler. */
    private Thread caller;

    private Reply deferred;
    private boolean isClosing;

    Isocket(InterruptServer server, InterruptLoop loop) {
        this.server = server;
        this.loop = loop;
    }

    void begin(long number) {
        connection = number;
        deferred = null;
        isClosing = false;
        caller = Thread.currentThread();
    }

    private void requireCaller() {
        if (caller != Thread.currentThread()) {
            throw new IllegalStateException("an Isocket is for the handler's thread, during its call: call defer()"
                    + " there, and give another thread the Reply");
        }
    }

    boolean isDeferred() {
        return deferred != null;
    }

    boolean isClosing() {
        return isClosing;
    }

    /**
     * {@return the server that calls the handler} Handlers are made before it runs, and may be called before {@link
     * InterruptServerBuilder#start} has returned it.
     */
    public InterruptServer server() {
        return server;
    }

    /**
     * {@return a number that no other connection of this loop has had} Its lower 32 bits are below the most connections
     * that the loop may have, and no other connection that is open has them: fit for an array of what a handler keeps.
     */
    public long id() {
        requireCaller();
        return connection;
    }

    /**
     * Promises a reply that any thread may give later. The requests behind this one wait for it, and so does a graceful
     * close. The handler consumes the request and returns {@link Interruptlet#NONE}.
     *
     * @return the reply, which must be given: the connection waits for it without a limit
     * @throws IllegalStateException if it was called in this call of the handler before, or by another thread
     */
    public Reply defer() {
        requireCaller();
        if (isDeferred()) {
            throw new IllegalStateException("the reply of this request is deferred already");
        }
        deferred = new Reply(loop, connection);
        if (isClosing) {
            deferred.setLast();
        }
        return deferred;
    }

    /**
     * Closes the connection after what is to be sent, the reply of this call included, has been sent; a deferred one
     * too. Without effect if the handler gives the connection to the slow path.
     */
    public void close() {
        requireCaller();
        isClosing = true;
        if (isDeferred()) {
            deferred.setLast();
        }
    }
}
