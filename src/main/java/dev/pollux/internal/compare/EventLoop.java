// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.compare;

import static java.nio.channels.SelectionKey.OP_READ;

import dev.pollux.internal.tool.Bench.Connection;
import dev.pollux.internal.tool.Bench;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;

/**
 * One turn of an event loop under load: a request on each of its connections, read and answered by a kilobyte. The
 * same thread is the clients. For one thread.
 */
final class EventLoop implements Cases.Case {
    static final int CONNECTIONS = 32;

    private final ByteBuffer request = ByteBuffer.allocateDirect(128);
    private final ByteBuffer reply = ByteBuffer.allocateDirect(1024);
    private final Selector selector;
    private final List<SocketChannel> clients = new ArrayList<>();

    EventLoop(Bench bench) throws IOException {
        selector = bench.opened(Selector.open());
        for (int i = 0; i < CONNECTIONS; i++) {
            Connection connection = bench.connection();
            connection.near().configureBlocking(true);
            clients.add(connection.near());
            connection.far().configureBlocking(false).register(selector, OP_READ);
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
            Bench.receive(client, reply);
        }
    }

    private void answer(SocketChannel server) throws IOException {
        Bench.receive(server, request);
        if (server.write(reply.clear()) != reply.capacity()) {
            throw new IOException("a kilobyte was not accepted");
        }
    }
}
