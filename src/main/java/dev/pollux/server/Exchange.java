// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

/**
 * A connection as a {@link ConnectionHandler} sees it, during one call. There is one object for each loop, not for each
 * connection. An interface, so that a test of a handler can have its own.
 *
 * <p>For the loop's thread, during the call; another thread gets an IllegalStateException. A task for another thread
 * takes a {@link Reply} with it, or the {@link #id}, not this object. Allocation: {@link #defer} alone.
 */
public interface Exchange {
    /**
     * {@return the server that calls the handler} Handlers are made before it runs, and may be called before {@link
     * StreamServerBuilder#start} has returned it.
     */
    StreamServer server();

    /**
     * {@return a number that no other connection of this loop has had} Its lower 32 bits are below the most connections
     * that the loop may have, and no other connection that is open has them: fit for an array of what a handler keeps.
     */
    long id();

    /**
     * Promises a reply that any thread may give later. The requests behind this one wait for it, and so does a graceful
     * close. The handler consumes the request and returns {@link ConnectionHandler#NONE}.
     *
     * @return the reply, which must be given: the connection waits for it without a limit
     * @throws IllegalStateException if it was called in this call of the handler before, or by another thread
     */
    Reply defer();

    /**
     * Closes the connection after what is to be sent, the reply of this call included, has been sent; a deferred one
     * too. Without effect if the handler gives the connection to the slow path.
     */
    void close();
}
