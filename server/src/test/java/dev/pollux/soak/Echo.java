// SPDX-License-Identifier: Apache-2.0
package dev.pollux.soak;

import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** The server's end of a connection, which sends everything back. Its monitor keeps the bytes in order. */
final class Echo {
    /** {@link #turn}: the connection is closed. */
    static final int CLOSED = -1;

    /** So that one connection can't keep a server for itself. */
    private static final int MAX_READS = 16;

    final SocketChannel channel;
    private final BeforeClosing before;
    private final ByteBuffer buffer = ByteBuffer.allocate(8192).flip();

    /** What is done with a channel before it is closed. */
    interface BeforeClosing {
        void run(SocketChannel channel) throws IOException;
    }

    Echo(SocketChannel channel) {
        this(channel, closing -> { });
    }

    Echo(SocketChannel channel, BeforeClosing before) {
        this.channel = channel;
        this.before = before;
    }

    /** Sends back what there is, a few times at most, and returns what to wait for, or {@link #CLOSED}. */
    int turn() {
        return turn(MAX_READS);
    }

    /** As {@link #turn}, until nothing is left to read, which an edge needs. */
    int exhaust() {
        return turn(Integer.MAX_VALUE);
    }

    private synchronized int turn(int most) {
        try {
            for (int i = 0; i < most; i++) {
                if (!buffer.hasRemaining()) {
                    int n = channel.read(buffer.clear());
                    buffer.flip();
                    if (n <= 0) {
                        return n == 0 ? OP_READ : close();
                    }
                }
                channel.write(buffer);
                if (buffer.hasRemaining()) {
                    return OP_WRITE;
                }
            }
            return OP_READ;
        } catch (IOException e) {
            return close(); // reset by the client, or closed by another thread
        }
    }

    synchronized int close() {
        try {
            if (channel.isOpen()) {
                before.run(channel);
                channel.close();
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
        return CLOSED;
    }
}
