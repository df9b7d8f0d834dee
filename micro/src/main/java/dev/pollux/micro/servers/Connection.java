// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.servers;

import java.io.IOException;
import java.net.SocketException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/**
 * The server's end of a connection, the same for every way of serving, blocking or not. The buffer belongs to the
 * serving thread: a server that has fewer threads than connections needs fewer buffers. The client has at most one
 * request outstanding, so that a reply always finds room in the socket's buffer. Used by one thread at a time.
 * Allocates when a request comes in pieces.
 */
final class Connection implements AutoCloseable {
    private final SocketChannel channel;
    private final Sizes sizes;

    /** The beginning of a request; null unless it came in pieces. */
    private ByteBuffer unfinished;

    Connection(SocketChannel channel, Sizes sizes) throws IOException {
        this.channel = channel;
        this.sizes = sizes;
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
    }

    /** Reads once, and replies if a request is complete. False if the client has closed the connection. */
    boolean serve(ByteBuffer buffer) throws IOException {
        buffer.clear().limit(sizes.request());
        if (unfinished != null) {
            buffer.put(unfinished);
            unfinished = null;
        }
        try {
            if (channel.read(buffer) < 0) {
                return false;
            }
        } catch (SocketException reset) {
            // The client closes that way, so that no thousands of ports stay in TIME_WAIT.
            return false;
        }
        if (buffer.hasRemaining()) {
            unfinished = ByteBuffer.allocate(buffer.position()).put(buffer.flip()).flip();
        } else {
            reply(buffer);
        }
        return true;
    }

    /** The reply begins with what the request begins with. */
    private void reply(ByteBuffer buffer) throws IOException {
        buffer.clear().limit(sizes.reply());
        channel.write(buffer);
        if (buffer.hasRemaining()) {
            throw new IOException("an empty socket buffer takes no reply");
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
