// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import dev.pollux.internal.server.HandlerCall;
import java.nio.ByteBuffer;

/**
 * Handles requests on the thread that received them, in the memory that they were received in: the handler of a
 * {@link StreamServer}. After "Improving Java Server Performance with Interruptlets" by Craig, Carroll, Breg,
 * Nikolopoulos and Polychronopoulos.
 *
 * <p>Each loop of a server has a handler of its own, which is called by the loop's thread alone. While it runs, every
 * other connection of that loop waits: it must not block.
 *
 * <p>A handler is called for requests only: not when a connection begins or ends. It can send nothing but replies, so
 * nothing to another connection.
 */
@FunctionalInterface
public interface ConnectionHandler {

    /**
     * The request is not complete: all of {@code data} is kept, wherever its position is, and comes again with more
     * behind it. If no more comes, because the other side has ended, it is dropped.
     */
    ByteBuffer MORE = HandlerCall.MORE;

    /** What was consumed needs no reply, or gets it later ({@link Exchange#defer}). */
    ByteBuffer NONE = HandlerCall.NONE;

    /**
     * Handles one request, and consumes it by setting the position of {@code data} behind it. Is called again while
     * bytes remain.
     *
     * @param data what was received and not consumed, from its position 0 to its limit, which is its capacity: there
     *     are no other bytes to reach. Valid during the call; its bytes may be changed
     * @param from where it came from, valid during the call
     * @return the reply, which is
     *     {@code data}: the bytes that were consumed, sent from where they are;
     *     a buffer of {@link StreamServer#resident}: its remaining bytes, sent from where they are;
     *     another buffer: its remaining bytes, copied before the next call; its position stays where it is;
     *     {@link #MORE}; {@link #NONE};
     *     or null, and the connection leaves the fast path: {@link SlowPath} gets it and all bytes of {@code data},
     *     wherever its position is
     * @throws Exception for the server's error handler; the connection is closed
     */
    ByteBuffer handleInterrupt(ByteBuffer data, Exchange from) throws Exception;
}
