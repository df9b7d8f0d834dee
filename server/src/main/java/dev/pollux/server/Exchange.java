// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import java.nio.ByteBuffer;
import java.time.Duration;

/**
 * A connection as a {@link ConnectionHandler} sees it during one call. There is one object for each loop, not for each
 * connection; what outlives the call is {@link #connection}. An interface, so that a test of a handler can have its
 * own.
 *
 * <p>For the loop's thread, during the call; another thread gets an IllegalStateException. Allocation: {@link #defer},
 * and the first {@link #connection}.
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

    /** {@return what was attached to the connection; null at first} */
    Object attachment();

    /**
     * Attaches an object of the handler's own to the connection, say, how far a request was read. It is the same that
     * {@link Connection#attach} attaches, but needs no handle, so the connection does not become full duplex. It goes
     * when the connection has ended, after {@link ConnectionHandler#onClose}. Allocation: a reference for each
     * connection that may be.
     *
     * @param attachment the object; may be null
     * @return what was attached before
     */
    Object attach(Object attachment);

    /**
     * Sends the remaining bytes after what was sent before; the buffer's position stays where it is. What one call
     * sends leaves together: a head and a body need not be joined, and what other threads send by the {@link
     * Connection} meanwhile comes behind all of it; what the call itself sends by that keeps its place. The buffer
     * may be
     * <ul>
     * <li>the handler's {@code data}, a slice or a duplicate: sent from where it is, so it is not to be changed
     *     afterwards. An echo, or a reply that was written over the request;
     * <li>one of {@link StreamServer#resident}: sent from where it is;
     * <li>another one: copied at once, and free to be changed.
     * </ul>
     *
     * If the output of its {@link Connection} was ended by another thread, or in an earlier call, they are dropped.
     *
     * @param bytes the remaining bytes are sent
     * @throws IllegalStateException if this call has closed the {@link Connection}, or shut down its output; or if
     *     it sends more than 2 GiB
     */
    void send(ByteBuffer bytes);

    /**
     * The request is not complete: all of {@code data} is kept, wherever its position is, and comes again with more
     * behind it. So does what a handler leaves that consumes nothing.
     */
    void awaitMore();

    /**
     * What this call consumes is not the end of the request: {@link Phase#REQUEST} goes on, and its time with it. For
     * handlers that take a body in parts. Without effect in other calls than {@link ConnectionHandler#onData}.
     */
    void continueRequest();

    /**
     * Gives the connection a time-out of its own, instead of that of {@link StreamServerBuilder#timeout}. If it is in
     * this phase, it counts from the beginning of that, but not from before the loop had a time-out at all. Allocation:
     * an array for each connection that has one of its own; with the first time-out of a loop, the memory for all. All
     * connections of the loop are looked at eight times in the shortest that was set.
     *
     * @param phase of what
     * @param time how long, a shorter one than 8 ms is taken for 8 ms; zero, or 292 years and more: for ever
     * @throws IllegalArgumentException if the time is negative
     */
    void setTimeout(Phase phase, Duration time);

    /**
     * Promises a reply that any thread may give later. The requests behind this one wait for it, and so does a graceful
     * close. The handler consumes the request as it would if it answered. Called again in the same call, it returns the
     * same object.
     *
     * @return the reply, which must be given: the connection waits for it without a limit
     * @throws IllegalStateException in other calls than {@link ConnectionHandler#onData}
     */
    Reply defer();

    /**
     * Hands the connection over to the {@link SlowPath}, with all of {@code data}, wherever its position is, when what
     * was sent before has gone out. Without effect in other calls than {@link ConnectionHandler#onData}.
     */
    void handOver();

    /**
     * Closes the connection after what is to be sent, the replies of this call included, has been sent; a deferred one
     * too. Without effect if the handler hands the connection over.
     */
    void close();

    /**
     * {@return the connection, for any time and any thread} The same object for each call; before the first one there
     * is none.
     */
    Connection connection();
}
