// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.servers;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;

/**
 * The client's end of a connection, with at most one request outstanding. Used by one thread; allocates nothing after
 * construction.
 */
final class Caller implements AutoCloseable {
    private final SocketChannel channel;
    private final ByteBuffer request;
    private final ByteBuffer reply;
    private long serial;
    private long sent;
    private boolean busy;

    Caller(InetSocketAddress server, Selector selector, Sizes sizes) throws IOException {
        request = ByteBuffer.allocateDirect(sizes.request());
        reply = ByteBuffer.allocateDirect(sizes.reply());
        channel = SocketChannel.open(server);
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        // A reset: thousands of ports in TIME_WAIT would be in the way of the next rounds.
        channel.setOption(StandardSocketOptions.SO_LINGER, 0);
        channel.configureBlocking(false);
        channel.register(selector, SelectionKey.OP_READ, this);
    }

    boolean isBusy() {
        return busy;
    }

    void send() throws IOException {
        begin();
        write();
    }

    /** A part of a request, as a network may deliver it. */
    void sendHalf() throws IOException {
        begin();
        request.limit(request.capacity() / 2);
        write();
    }

    void sendRest() throws IOException {
        request.limit(request.capacity());
        write();
    }

    private void begin() {
        busy = true;
        serial++;
        request.clear().putLong(0, serial);
        sent = System.nanoTime();
    }

    private void write() throws IOException {
        channel.write(request);
        if (request.hasRemaining()) {
            throw new IOException("an empty socket buffer takes no request");
        }
    }

    /** Reads what is there. Nanoseconds since the request was sent once the reply is complete, -1 before. */
    long receive() throws IOException {
        if (channel.read(reply) < 0) {
            throw new EOFException("the server closed a connection");
        }
        if (reply.hasRemaining()) {
            return -1;
        }
        long took = System.nanoTime() - sent;
        if (!busy || reply.getLong(0) != serial) {
            throw new IOException("a reply to request " + reply.getLong(0) + ", not to " + serial);
        }
        reply.clear();
        busy = false;
        return took;
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
