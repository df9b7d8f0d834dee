// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.bench;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.ArrayList;
import java.util.List;

/**
 * A selector with connected TCP channels, some of which stay readable for ever.
 *
 * <p>The peer of an idle channel is never accepted: it waits in a listener's backlog and takes no
 * file descriptor, so 10 000 connections fit under a limit of 20 000 open files. The peer of a
 * ready channel is accepted and has written one byte that nobody reads. The ready channels are
 * spread evenly between the idle ones. Not thread-safe.
 */
final class Sockets implements Closeable {
    /** Connections per listener; small enough for every system's limit on a backlog. */
    private static final int PER_LISTENER = 100;

    final SelectorProvider provider;
    final Selector selector;

    /** The channels that are not readable. */
    final List<SocketChannel> idle = new ArrayList<>();

    private final List<Closeable> open = new ArrayList<>();
    private ServerSocketChannel listener;
    private int onListener;

    Sockets(String providerClass) throws IOException {
        provider = Setting.named(providerClass);
        selector = provider.openSelector();
        open.add(selector);
    }

    /** Adds {@code count} channels, {@code readyCount} of them ready, all registered with {@code ops}. */
    Sockets register(int count, int readyCount, int ops) throws IOException {
        int toMake = readyCount;
        for (int i = 0; i < count; i++) {
            boolean makeReady = toMake > 0 && (long) i * readyCount >= (long) (readyCount - toMake) * count;
            SocketChannel channel = makeReady ? connectReady() : connectIdle();
            channel.register(selector, ops);
            if (makeReady) {
                toMake--;
            }
        }
        return this;
    }

    /** Adds channels to read from. Argument: how many are ready, a slash, how many there are. Returns the former. */
    int register(String load) throws IOException {
        int ready = Integer.parseInt(load.replaceFirst("/.*", ""));
        register(Integer.parseInt(load.replaceFirst(".*/", "")), ready, SelectionKey.OP_READ);
        return ready;
    }

    /** The key of the first channel that is not ready. */
    SelectionKey idleKey() {
        return idle.get(0).keyFor(selector);
    }

    /** Connects a channel whose peer never says anything. */
    SocketChannel connectIdle() throws IOException {
        if (listener == null || onListener == PER_LISTENER) {
            listener = listen();
            onListener = 0;
        }
        onListener++;
        SocketChannel channel = connect(listener);
        idle.add(channel);
        return channel;
    }

    /** Connects a channel that has one byte to read. */
    SocketChannel connectReady() throws IOException {
        try (ServerSocketChannel server = listen()) {
            SocketChannel channel = connect(server);
            SocketChannel peer = server.accept();
            open.add(peer);
            peer.write(ByteBuffer.wrap(new byte[1]));
            return channel;
        }
    }

    private ServerSocketChannel listen() throws IOException {
        ServerSocketChannel server = provider.openServerSocketChannel();
        open.add(server);
        return server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), PER_LISTENER + 28);
    }

    private SocketChannel connect(ServerSocketChannel server) throws IOException {
        SocketChannel channel = provider.openSocketChannel();
        open.add(channel);
        channel.connect(server.getLocalAddress());
        channel.configureBlocking(false);
        return channel;
    }

    @Override
    public void close() throws IOException {
        for (Closeable each : open) {
            each.close();
        }
    }
}
