// SPDX-License-Identifier: Apache-2.0
package dev.pollux.tools.compare;

import static java.nio.channels.SelectionKey.OP_READ;

import dev.pollux.tools.common.Bench;
import dev.pollux.tools.common.Bench.Connection;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The operations that are measured: of {@code java.nio} alone, on the provider of this VM. Used by one thread. */
final class Cases implements Closeable {
    /** Connections of the event loop. */
    static final int CONNECTIONS = 32;

    private static final int MAX_READY = 1000;

    private final Bench bench = new Bench(SelectorProvider.provider());
    private final Map<String, Case> named;
    private final Selector largest;

    /** One operation. */
    interface Case {
        void run() throws IOException;
    }

    Cases() throws IOException {
        named = new HashMap<>(Map.of("wakeup", wakeup(), "interest", interest(), "transfer", transfer(),
                "roundTrip", roundTrip(), "eventLoop", eventLoop(), "select1", selection(ready(1)),
                "select100", selection(ready(100))));
        largest = ready(MAX_READY); // last, since it may take all descriptors that are left
        named.put("selectMax", selection(largest));
    }

    Case named(String name) {
        return named.get(name);
    }

    /** {@return the keys of the largest selector: fewer than 1000 where the system sets a limit} */
    int maxReady() {
        return largest.keys().size();
    }

    /** A selector with ready keys: this number, or as many as the system permits. */
    private Selector ready(int count) throws IOException {
        Selector selector = bench.opened(Selector.open());
        ByteBuffer empty = ByteBuffer.allocate(0);
        try (DatagramChannel sender = DatagramChannel.open()) {
            while (selector.keys().size() < count) {
                DatagramChannel channel = bench.datagramChannel();
                channel.register(selector, OP_READ);
                sender.send(empty, channel.getLocalAddress());
            }
        } catch (IOException e) {
            if (selector.keys().isEmpty()) {
                throw e;
            }
        }
        return selector;
    }

    private static Case selection(Selector selector) {
        return () -> {
            int events = 0;
            selector.selectNow();
            for (SelectionKey key : selector.selectedKeys()) {
                events += key.readyOps();
            }
            if (events != OP_READ * selector.keys().size()) {
                throw new IOException("not all keys are ready: " + events);
            }
            selector.selectedKeys().clear();
        };
    }

    private Case wakeup() {
        return () -> {
            bench.selector.wakeup();
            bench.selector.selectNow();
        };
    }

    private Case interest() throws IOException {
        SelectionKey key = bench.register(bench.datagramChannel(), OP_READ);
        return () -> {
            key.interestOps(0);
            bench.selector.selectNow();
            key.interestOps(OP_READ);
            bench.selector.selectNow();
        };
    }

    /** What a server does for a request beside its own work: a write and a read, of a kilobyte. */
    private Case transfer() throws IOException {
        Connection connection = bench.connection();
        connection.near().configureBlocking(true);
        ByteBuffer kilobyte = ByteBuffer.allocateDirect(1024);
        return () -> {
            connection.near().write(kilobyte.clear());
            Bench.receive(connection.far(), kilobyte);
        };
    }

    /** A byte to another thread and back, over a connection; both wait in selections. */
    private Case roundTrip() throws IOException {
        Connection connection = bench.connection();
        SocketChannel channel = connection.near();
        Selector selector = bench.opened(Selector.open());
        channel.register(selector, OP_READ);
        Selector other = bench.opened(Selector.open());
        Thread echo = new Thread(() -> echo(connection.far(), other), "echo");
        echo.setDaemon(true);
        echo.start();
        ByteBuffer one = ByteBuffer.allocateDirect(1);
        return () -> {
            channel.write(one.clear());
            receive(channel, selector, one);
        };
    }

    private static void echo(SocketChannel channel, Selector selector) {
        ByteBuffer buffer = ByteBuffer.allocateDirect(1);
        try {
            channel.configureBlocking(false).register(selector, OP_READ);
            while (true) {
                receive(channel, selector, buffer);
                channel.write(buffer.flip());
            }
        } catch (IOException e) {
            e.printStackTrace();
        }
    }

    private static void receive(SocketChannel channel, Selector selector, ByteBuffer buffer) throws IOException {
        selector.select();
        selector.selectedKeys().clear();
        if (channel.read(buffer.clear()) != 1) {
            throw new IOException("the other end is gone");
        }
    }

    /** One turn of an event loop: a request on each connection, answered by a kilobyte. One thread is both ends. */
    private Case eventLoop() throws IOException {
        Selector selector = bench.opened(Selector.open());
        List<SocketChannel> clients = new ArrayList<>();
        for (int i = 0; i < CONNECTIONS; i++) {
            Connection connection = bench.connection();
            connection.near().configureBlocking(true);
            clients.add(connection.near());
            connection.far().configureBlocking(false).register(selector, OP_READ);
        }
        ByteBuffer request = ByteBuffer.allocateDirect(128);
        ByteBuffer reply = ByteBuffer.allocateDirect(1024);
        return () -> {
            for (SocketChannel client : clients) {
                client.write(request.clear());
            }
            for (int answered = 0; answered < CONNECTIONS;) {
                answered += selector.select();
                for (SelectionKey key : selector.selectedKeys()) {
                    Bench.receive((SocketChannel) key.channel(), request);
                    if (((SocketChannel) key.channel()).write(reply.clear()) != reply.capacity()) {
                        throw new IOException("a kilobyte was not accepted");
                    }
                }
                selector.selectedKeys().clear();
            }
            selector.selectNow();
            for (SocketChannel client : clients) {
                Bench.receive(client, reply);
            }
        };
    }

    @Override
    public void close() throws IOException {
        bench.close();
    }
}
