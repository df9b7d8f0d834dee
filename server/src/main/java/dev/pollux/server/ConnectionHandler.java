// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import java.nio.ByteBuffer;

/**
 * Handles what happens on connections of a {@link StreamServer}, on the thread that received it, in the memory that it
 * was received in: the <em>Interruptlet</em> of "Improving Java Server Performance with Interruptlets" by Craig,
 * Carroll, Breg, Nikolopoulos and Polychronopoulos.
 *
 * <p>Each loop of a server has a handler of its own, which is called by the loop's thread alone, by one call at a time.
 * While it runs, every other connection of that loop waits: it must not block.
 *
 * <p>What a method throws closes the connection and goes to the server's error handler; if the call had sent something,
 * the connection is reset, so that it does not look complete. What {@link #onClose} throws goes there too.
 */
@FunctionalInterface
public interface ConnectionHandler {

    /**
     * Data arrived: at least one byte. The handler consumes a request, or as much as it likes, by setting the position
     * of {@code data} behind it, and is called again while it consumes something and bytes remain. What it leaves is
     * kept, and comes again with more behind it; beyond {@link StreamServerBuilder#maxRequest} bytes it is {@linkplain
     * #onRefused refused}, and the connection closed, unless that is {@linkplain Connection#pause paused}.
     *
     * @param data what was received and not consumed, from its position 0 to its limit, which is its capacity: there
     *     are no other bytes to reach. Valid during the call; its bytes may be changed
     * @param exchange what to do with it: {@linkplain Exchange#send send} a reply, {@linkplain Exchange#awaitMore await
     *     more}, {@linkplain Exchange#defer defer} the reply, {@linkplain Exchange#handOver hand} the connection
     *     {@linkplain Exchange#handOver over}, {@linkplain Exchange#close close} it
     * @throws Exception for the server's error handler; the connection is closed
     */
    void onData(ByteBuffer data, Exchange exchange) throws Exception;

    /**
     * A connection begins: it was accepted, adopted, or {@linkplain StreamServer#connect connected}. Comes before its
     * data.
     *
     * @param exchange may send something already
     * @throws Exception for the server's error handler; the connection is closed
     */
    default void onOpen(Exchange exchange) throws Exception {
    }

    /**
     * The other side sends no more, but may still read. Comes after its data, of which the handler will not get again
     * what it has left; for a connection that is {@linkplain Connection#pause paused}, both come when it is resumed.
     * Closes the connection, after what is to be sent, unless it is overridden.
     *
     * @param exchange may send something still
     * @throws Exception for the server's error handler; the connection is closed
     */
    default void onEnd(Exchange exchange) throws Exception {
        exchange.close();
    }

    /**
     * A connection that has refused to {@linkplain Connection#send send} would accept something again: half of what it
     * may have pending was sent, or others need less of {@link StreamServerBuilder#maxWaiting}.
     *
     * @param connection accepts more
     * @throws Exception for the server's error handler; the connection is closed
     */
    default void onWritable(Connection connection) throws Exception {
    }

    /**
     * The server is {@linkplain StreamServer#close(long, java.util.concurrent.TimeUnit) closing}, and this connection
     * owes no deferred reply. Closes it, after what is to be sent, unless it is overridden, to say goodbye, or to let
     * it come to an end of its own: then it is served until the deadline.
     *
     * @param exchange may send something still
     * @throws Exception for the server's error handler; the connection is closed
     */
    default void onShutdown(Exchange exchange) throws Exception {
        exchange.close();
    }

    /**
     * A request is refused, since it was longer than {@link StreamServerBuilder#maxRequest}, or not complete in the
     * time of {@link Phase#REQUEST}. The connection is closed after this call, which may still reply: HTTP has 431 and
     * 408 for that. The other side gets what is sent here though it sends more itself: that is discarded, for five
     * seconds at most.
     *
     * @param exchange may send something still
     * @param reason {@link CloseReason#TOO_LONG} or {@link CloseReason#TOO_SLOW}
     * @throws Exception for the server's error handler; the connection is closed
     */
    default void onRefused(Exchange exchange, CloseReason reason) throws Exception {
    }

    /**
     * A connection has ended, and its descriptor is closed, or handed over. Comes once for each connection that has
     * begun, or failed to connect, as the last call for it; never inside another call, nor of {@link Connection#close}.
     *
     * @param exchange tells which; it sends nothing more
     * @param reason why
     * @throws Exception for the server's error handler
     */
    default void onClose(Exchange exchange, CloseReason reason) throws Exception {
    }
}
