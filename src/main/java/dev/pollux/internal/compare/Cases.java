// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.compare;

import static java.nio.channels.SelectionKey.OP_READ;

import dev.pollux.internal.tool.Bench.Connection;
import dev.pollux.internal.tool.Bench;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.Map;

/** What is measured: operations of {@code java.nio} alone, on the provider of this virtual machine. For one thread. */
final class Cases implements Closeable {
    private static final int MOST_READY = 1000;

    private final Bench bench = new Bench(SelectorProvider.provider());
    private final Selector one = bench.opened(Selector.open());
    private final Selector hundred = bench.opened(Selector.open());
    private final Selector thousand = bench.opened(Selector.open());
    private final Selector idle = bench.selector;
    private final SelectionKey idleKey;
    private final RoundTrip roundTrip;
    private final Map<String, Case> named;

    /** One operation. */
    interface Case {
        void run() throws IOException;
    }

    Cases() throws IOException {
        roundTrip = new RoundTrip();
        Case transfer = new Transfer();
        Case eventLoop = new EventLoop(bench);
        idleKey = bench.register(bench.datagramChannel(), OP_READ);
        makeReady(one, 1);
        makeReady(hundred, 100);
        makeReady(thousand, MOST_READY);
        named = Map.of("select1", () -> select(one), "select100", () -> select(hundred),
                "selectMost", () -> select(thousand), "wakeup", this::wakeup, "interest", this::interest,
                "transfer", transfer, "roundTrip", roundTrip,
                "eventLoop", eventLoop);
    }

    Case named(String name) {
        return named.get(name);
    }

    /** How many keys the case with most of them has; fewer than 1000 where the system sets a limit. */
    int mostReady() {
        return thousand.keys().size();
    }

    private void select(Selector selector) throws IOException {
        int events = 0;
        selector.selectNow();
        for (SelectionKey key : selector.selectedKeys()) {
            events += key.readyOps();
        }
        if (events != OP_READ * selector.keys().size()) {
            throw new IOException("not all keys are ready: " + events);
        }
        selector.selectedKeys().clear();
    }

    private void wakeup() throws IOException {
        idle.wakeup();
        idle.selectNow();
    }

    private void interest() throws IOException {
        idleKey.interestOps(0);
        idle.selectNow();
        idleKey.interestOps(OP_READ);
        idle.selectNow();
    }

    private void makeReady(Selector selector, int count) throws IOException {
        ByteBuffer empty = ByteBuffer.allocate(0);
        try (DatagramChannel sender = DatagramChannel.open()) {
            while (selector.keys().size() < count) {
                DatagramChannel channel = bench.datagramChannel();
                channel.register(selector, OP_READ);
                sender.send(empty, channel.getLocalAddress());
            }
        } catch (IOException e) {
            if (selector.keys().size() < 1) {
                throw e;
            }
        }
    }

    /** What a server does for a request beside its own work: a write and a read, of a kilobyte. */
    private final class Transfer implements Case {
        private final ByteBuffer kilobyte = ByteBuffer.allocateDirect(1024);
        private final SocketChannel from;
        private final SocketChannel to;

        Transfer() throws IOException {
            Connection connection = bench.connection();
            from = connection.near();
            from.configureBlocking(true);
            to = connection.far();
        }

        @Override
        public void run() throws IOException {
            from.write(kilobyte.clear());
            Bench.receive(to, kilobyte);
        }
    }

    /** A byte to another thread and back, over a connection; both wait in selections. */
    private final class RoundTrip implements Case {
        private final ByteBuffer one = ByteBuffer.allocateDirect(1);
        private final Selector selector = bench.opened(Selector.open());
        private final SocketChannel channel;

        RoundTrip() throws IOException {
            Connection connection = bench.connection();
            channel = connection.near();
            channel.register(selector, OP_READ);
            Selector other = bench.opened(Selector.open());
            Thread echo = new Thread(() -> echo(connection.far(), other), "echo");
            echo.setDaemon(true);
            echo.start();
        }

        @Override
        public void run() throws IOException {
            channel.write(one.clear());
            receive(channel, selector, one);
        }

        private void echo(SocketChannel far, Selector other) {
            ByteBuffer buffer = ByteBuffer.allocateDirect(1);
            try {
                far.configureBlocking(false).register(other, OP_READ);
                while (true) {
                    receive(far, other, buffer);
                    far.write(buffer.flip());
                }
            } catch (IOException e) {
                e.printStackTrace();
            }
        }

        private void receive(SocketChannel from, Selector waiting, ByteBuffer into) throws IOException {
            waiting.select();
            waiting.selectedKeys().clear();
            if (from.read(into.clear()) != 1) {
                throw new IOException("the other end is gone");
            }
        }
    }

    @Override
    public void close() throws IOException {
        bench.close();
    }
}
