// SPDX-License-Identifier: Apache-2.0
package dev.pollux.tools.check;

import static java.nio.channels.SelectionKey.OP_ACCEPT;
import static java.nio.channels.SelectionKey.OP_CONNECT;
import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;

import dev.pollux.tools.common.Bench;
import dev.pollux.tools.common.Bench.Connection;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/** Checks of TCP connections. Stateless. */
final class StreamChecks {
    private static final ByteBuffer BLOCK = ByteBuffer.allocateDirect(64 * 1024).asReadOnlyBuffer();

    /** Far more than the buffers of a connection hold. */
    private static final long ENDLESS = 1L << 30;

    private StreamChecks() {
    }

    static void connect(Bench bench) throws IOException {
        ServerSocketChannel listener = bench.listener();
        SelectionKey key = startConnect(bench, listener.getLocalAddress());
        bench.awaitReady(key, OP_CONNECT);
        Bench.require(((SocketChannel) key.channel()).finishConnect(), "a connection is made once OP_CONNECT is ready");
        key.cancel();
        bench.selector.selectNow();
        SocketChannel deaf = bench.opened(bench.provider.openSocketChannel()); // keeps the port from others
        key = startConnect(bench, deaf.bind(new InetSocketAddress(Bench.loopback(), 0)).getLocalAddress());
        bench.awaitReady(key, OP_CONNECT);
        try {
            ((SocketChannel) key.channel()).finishConnect();
        } catch (ConnectException refused) {
            return;
        }
        throw new IOException("broken: a connection to a port without a listener is refused");
    }

    private static SelectionKey startConnect(Bench bench, SocketAddress address) throws IOException {
        SocketChannel channel = bench.opened(bench.provider.openSocketChannel());
        channel.configureBlocking(false);
        SelectionKey key = bench.register(channel, 0);
        try {
            if (channel.connect(address)) { // loopback may be as fast as that: there is nothing left to report
                channel.close();
                return startConnect(bench, address);
            }
        } catch (ConnectException soon) {
            return startConnect(bench, address);
        }
        key.interestOps(OP_CONNECT);
        return key;
    }

    static void accept(Bench bench) throws IOException {
        ServerSocketChannel listener = bench.listener();
        listener.configureBlocking(false);
        SelectionKey key = bench.register(listener, OP_ACCEPT);
        bench.expectNothing("before a client connects");
        InetSocketAddress address = (InetSocketAddress) listener.getLocalAddress();
        bench.opened(bench.provider.openSocketChannel()).connect(address);
        bench.awaitReady(key, OP_ACCEPT);
        bench.opened(listener.accept());
        bench.expectNothing("after all connections were accepted");
    }

    static void read(Bench bench) throws IOException {
        Connection connection = bench.connection();
        SelectionKey key = bench.register(connection.near(), OP_READ);
        bench.expectNothing("before data arrives");
        for (int i = 0; i < 100; i++) {
            connection.far().write(Bench.bytes("data " + i));
            bench.awaitReady(key, OP_READ);
            Bench.require(("data " + i).equals(Bench.read(connection.near())), "what was written is read");
            bench.expectNothing("after all was read");
        }
    }

    static void write(Bench bench) throws IOException {
        Connection connection = bench.connection();
        SelectionKey key = bench.register(connection.near(), OP_WRITE);
        bench.awaitReady(key, OP_WRITE);
        long written = fill(bench, connection);
        connection.far().configureBlocking(false);
        ByteBuffer sink = ByteBuffer.allocateDirect(1 << 20);
        for (long left = written; left > 0;) { // all of it: the system may keep a good deal before it tells the writer
            int count = connection.far().read(sink.clear());
            left -= count;
            if (count == 0) {
                Thread.onSpinWait();
            }
        }
        bench.awaitReady(key, OP_WRITE);
    }

    /** Writes until there is no room, and nothing more is reported. The system may move data on meanwhile. */
    private static long fill(Bench bench, Connection connection) throws IOException {
        long written = 0;
        while (written < ENDLESS) {
            long before = written;
            for (int count = 1; count > 0 && written < ENDLESS; written += count) {
                count = connection.near().write(BLOCK.duplicate());
            }
            boolean full = before == written && bench.selector.select(50) == 0;
            bench.selector.selectedKeys().clear();
            if (full) {
                return written;
            }
        }
        throw new IOException("broken: a channel whose buffers are full is not writable");
    }

    static void halfClose(Bench bench) throws IOException {
        Connection connection = bench.connection();
        SelectionKey key = bench.register(connection.near(), OP_READ);
        connection.far().shutdownOutput();
        bench.awaitReady(key, OP_READ);
        Bench.require(Bench.read(connection.near()) == null, "the end of the stream is read");
        connection.near().write(Bench.bytes("the last words"));
        Bench.require("the last words".equals(Bench.read(connection.far())), "the other direction stays open");
    }

    static void reset(Bench bench) throws IOException {
        Connection connection = bench.connection();
        SelectionKey key = bench.register(connection.near(), OP_READ);
        connection.far().setOption(StandardSocketOptions.SO_LINGER, 0).close();
        bench.awaitReady(key, OP_READ);
        try {
            Bench.read(connection.near());
        } catch (IOException reset) {
            return;
        }
        throw new IOException("broken: reading from a connection that was reset throws an IOException");
    }

    static void outOfBand(Bench bench) throws IOException {
        Connection connection = bench.connection();
        SelectionKey key = bench.register(connection.near(), OP_READ);
        StringBuilder got = new StringBuilder();
        for (int i = 0; i < 20; i++) {
            connection.far().write(Bench.bytes("a"));
            connection.far().socket().sendUrgentData('!');
            connection.far().write(Bench.bytes("b"));
            while (got.length() < 2 * (i + 1)) {
                int count = bench.selector.select(Bench.MAX_WAIT_MILLIS);
                Bench.require(count == 1, "data is reported beside out-of-band data: " + count + " keys");
                bench.selector.selectedKeys().remove(key);
                got.append(Bench.read(connection.near()));
            }
        }
        Bench.require("ab".repeat(20).contentEquals(got), "out-of-band data is dropped, all else is read: " + got);
        bench.expectNothing("after out-of-band data");
    }
}
