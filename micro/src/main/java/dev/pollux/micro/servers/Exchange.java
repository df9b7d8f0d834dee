// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.servers;

import java.io.IOException;
import java.net.SocketException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/**
 * The server's end of a connection, the same for every way that reads and writes channels. The buffers belong to the
 * serving thread. A peer has at most one request outstanding, so that replies always find room in the socket's buffer.
 * Used by one thread at a time. Allocates when a request comes in pieces.
 */
final class Exchange implements AutoCloseable {
    private final SocketChannel channel;

    /** The beginning of a request; null unless it came in pieces. */
    private ByteBuffer unfinished;

    Exchange(SocketChannel channel) throws IOException {
        this.channel = channel;
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
    }

    /** Reads once, and replies to what is complete. False if the peer has closed the connection. */
    boolean serve(Protocol protocol, ByteBuffer in, ByteBuffer page) throws IOException {
        in.clear();
        if (unfinished != null) {
            in.put(unfinished);
            unfinished = null;
        }
        try {
            if (channel.read(in) < 0) {
                return false;
            }
        } catch (SocketException reset) {
            // A peer closes that way, so that no thousands of ports stay in TIME_WAIT.
            return false;
        }
        in.flip();
        if (protocol == Protocol.ECHO) {
            write(in);
        } else {
            reply(in, page);
        }
        return true;
    }

    private void reply(ByteBuffer in, ByteBuffer page) throws IOException {
        for (int end; (end = Protocol.endOfRequest(in)) >= 0; in.position(end)) {
            write(page.rewind());
        }
        if (in.hasRemaining()) {
            unfinished = ByteBuffer.allocate(in.remaining()).put(in).flip();
        }
    }

    private void write(ByteBuffer reply) throws IOException {
        channel.write(reply);
        if (reply.hasRemaining()) {
            throw new IOException("an empty socket buffer takes no reply");
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
