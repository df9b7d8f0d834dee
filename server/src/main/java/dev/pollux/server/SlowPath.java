// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** Handles connections that a {@link ConnectionHandler} declines. */
@FunctionalInterface
public interface SlowPath {

    /**
     * Goes on with a connection. Called by the server's executor.
     *
     * @param channel the connection, in blocking mode; this method closes it, or gives it to
     *     {@link StreamServer#adopt}
     * @param unread  what was received and not answered, from the beginning of the request on
     * @throws IOException for the server's error handler; the channel is closed
     */
    void handle(SocketChannel channel, ByteBuffer unread) throws IOException;
}
