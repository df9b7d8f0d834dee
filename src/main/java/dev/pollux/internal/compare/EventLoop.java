// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.compare;

import static java.nio.channels.SelectionKey.OP_READ;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;

/**
 * One turn of an event loop under load: a request on each of its connections, read and answered by a kilobyte. The
 * same thread is the clients. For one thread.
 */
final class EventLoop implements Cases.Case, Closeable {
    static final int CONNECTIONS = 32;

    private final ByteBuffer request = ByteBuffer.allocateDirect(128);
    private final ByteBuffer reply = ByteBuffer.allocateDirect(1024);
    private final Selector selector = Selector.open();
    private final List<SocketChannel> clients = new ArrayList<>();

    EventLoop() throws IOException {
        try (ServerSocketChannel listener = ServerSocketChannel.open()) {
            listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            for (int i = 0; i < CONNECTIONS; i++) {
                clients.add(SocketChannel.open(listener.getLocalAddress()));
                listener.accept().configureBlocking(false).register(selector, OP_READ);
            }
        }
    }

    @Override
    public void run() throws IOException {
        for (SocketChannel client : clients) {
            client.write(request.clear());
        }
        for (int answered = 0; answered < CONNECTIONS;) {
            answered += selector.select();
            for (SelectionKey key : selector.selectedKeys()) {
                answer((SocketChannel) key.channel());
            }
            selector.selectedKeys().clear();
        }
        selector.selectNow();
        for (SocketChannel client : clients) {
            receive(client, reply);
        }
    }

    private void answer(SocketChannel server) throws IOException {
        receive(server, request);
        if (server.write(reply.clear()) != reply.capacity()) {
            throw new IOException("a kilobyte was not accepted");
        }
    }

    private static void receive(SocketChannel from, ByteBuffer whole) throws IOException {
        for (whole.clear(); whole.hasRemaining();) {
            if (from.read(whole) < 0) {
                throw new IOException("the other end is gone");
            }
        }
    }

    @Override
    public void close() throws IOException {
        for (SelectionKey key : selector.keys()) {
            key.channel().close();
        }
        selector.close();
        for (SocketChannel client : clients) {
            client.close();
        }
    }
}
