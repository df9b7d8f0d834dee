// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import java.nio.ByteBuffer;

/**
 * A reply that is given later ({@link Exchange#defer}), once, by any thread. If the connection has gone meanwhile, it
 * is dropped.
 */
public interface Reply {
    /**
     * Sends the reply, and the connection's next request is handled.
     *
     * @param bytes its remaining bytes; the buffer must stay as it is from now on: the loop's thread reads it later
     * @throws IllegalStateException if the reply was given before
     */
    void send(ByteBuffer bytes);

    /**
     * Sends a reply of two parts, and the connection's next request is handled: a head, say, and a body that is
     * resident.
     *
     * @param head its remaining bytes; the buffer must stay as it is from now on: the loop's thread reads it later
     * @param body the same, behind those
     * @throws IllegalStateException if the reply was given before
     */
    void send(ByteBuffer head, ByteBuffer body);

    /**
     * Sends the reply, and closes the connection.
     *
     * @param bytes its remaining bytes; the buffer must stay as it is from now on: the loop's thread reads it later
     * @throws IllegalStateException if the reply was given before
     */
    void sendAndClose(ByteBuffer bytes);
}
