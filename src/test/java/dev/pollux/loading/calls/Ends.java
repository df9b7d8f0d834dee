// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading.calls;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;

/** Connections, both ends of which are in this virtual machine. */
final class Ends {

    private Ends() {
    }

    record Channels(SocketChannel near, SocketChannel far) implements Closeable {
        @Override
        public void close() throws IOException {
            near.close();
            far.close();
        }
    }

    record Sockets(Socket near, Socket far) implements Closeable {
        @Override
        public void close() throws IOException {
            near.close();
            far.close();
        }
    }

    static Channels channels(boolean unix) throws IOException {
        return unix ? unixChannels() : internetChannels();
    }

    private static Channels internetChannels() throws IOException {
        try (ServerSocketChannel server = ServerSocketChannel.open()) {
            server.bind(loopback());
            return new Channels(SocketChannel.open(server.getLocalAddress()), server.accept());
        }
    }

    private static Channels unixChannels() throws IOException {
        Path folder = Files.createTempDirectory("calls");
        SocketAddress address = UnixDomainSocketAddress.of(folder.resolve("socket"));
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            server.bind(address);
            return new Channels(SocketChannel.open(address), server.accept());
        } finally {
            Files.deleteIfExists(folder.resolve("socket"));
            Files.delete(folder);
        }
    }

    static Sockets sockets() throws IOException {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Socket near = new Socket(server.getInetAddress(), server.getLocalPort());
            return new Sockets(near, server.accept());
        }
    }

    static DatagramChannel datagram() throws IOException {
        return DatagramChannel.open(StandardProtocolFamily.INET).bind(loopback());
    }

    /** A port that no one listens at: a socket had it, and is closed. */
    static SocketAddress deadPort() throws IOException {
        try (DatagramChannel channel = datagram()) {
            return channel.getLocalAddress();
        }
    }

    static InetSocketAddress loopback() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    }

    /** Closes a connection as if it were lost: the other end gets a reset. */
    static void reset(SocketChannel channel) throws IOException {
        channel.setOption(StandardSocketOptions.SO_LINGER, 0);
        channel.close();
    }

    /** Waits until something has come, be it an error, and leaves it there. */
    static void awaitReadable(SelectableChannel channel) throws IOException {
        boolean blocking = channel.isBlocking();
        try (Selector selector = Selector.open()) {
            channel.configureBlocking(false);
            channel.register(selector, SelectionKey.OP_READ);
            selector.select();
        }
        channel.configureBlocking(blocking);
    }

    /** Writes until there is no room for a byte. */
    static long fill(SocketChannel channel) throws IOException {
        channel.configureBlocking(false);
        ByteBuffer bytes = ByteBuffer.allocateDirect(1 << 16);
        long sum = 0;
        for (int refused = 0; refused < 3;) {
            int n = channel.write(bytes.clear().limit(refused == 0 ? bytes.capacity() : 1));
            refused = n == 0 ? refused + 1 : 0;
            sum += n;
        }
        return sum;
    }

    /** Reads as much as was written. */
    static long drain(SocketChannel channel, long count) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocateDirect(1 << 16);
        for (long left = count; left > 0;) {
            int n = channel.read(bytes.clear());
            if (n < 0) {
                throw new ClosedChannelException();
            }
            left -= n;
        }
        return count;
    }
}
