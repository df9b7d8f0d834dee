// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.programs.servers;

import java.io.IOException;
import java.net.SocketException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/**
 * The server's end of a connection, the same for every way of serving, blocking or not. The client has one request
 * outstanding at most, so that a reply always finds room in the socket's buffer. One thread at a time; allocates nothing
 * after construction.
 */
final class Connection implements AutoCloseable {
    final SocketChannel channel;
    private final Sizes sizes;
    private final ByteBuffer buffer;

    Connection(SocketChannel channel, Sizes sizes) throws IOException {
        this.channel = channel;
        this.sizes = sizes;
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        buffer = ByteBuffer.allocateDirect(Math.max(sizes.request(), sizes.reply())).limit(sizes.request());
    }

    /** Reads once, and replies if a request is complete. False if the client has closed the connection. */
    boolean serve() throws IOException {
        try {
            if (channel.read(buffer) < 0) {
                return false;
            }
        } catch (SocketException reset) {
            // The client closes that way, so that no thousands of ports stay in TIME_WAIT.
            return false;
        }
        if (!buffer.hasRemaining()) {
            reply();
        }
        return true;
    }

    /** The reply begins with what the request begins with. */
    private void reply() throws IOException {
        buffer.position(0).limit(sizes.reply());
        channel.write(buffer);
        if (buffer.hasRemaining()) {
            throw new IOException("an empty socket buffer takes no reply");
        }
        buffer.position(0).limit(sizes.request());
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
