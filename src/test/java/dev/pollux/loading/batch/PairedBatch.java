// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading.batch;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;

/** A selecting thread that answers on the near ends of connections, and asks on the far ends, which are blocking. */
abstract class PairedBatch extends WarmBatch {
    static final int CONNECTIONS = 8;

    final List<SocketChannel> near = new ArrayList<>();
    final List<SocketChannel> far = new ArrayList<>();

    PairedBatch(boolean isUnix) throws IOException {
        SocketAddress address = isUnix
                ? UnixDomainSocketAddress.of(Files.createTempDirectory("batch").resolve("socket"))
                : new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        try (ServerSocketChannel listener = isUnix ? ServerSocketChannel.open(StandardProtocolFamily.UNIX)
                : ServerSocketChannel.open()) {
            listener.bind(address);
            for (int i = 0; i < CONNECTIONS; i++) {
                far.add(SocketChannel.open(listener.getLocalAddress()));
                near.add(listener.accept());
                near.get(i).configureBlocking(false).register(selector, SelectionKey.OP_READ);
            }
        }
    }

    /** Everyone asks, and gets an answer. */
    final void serve() throws IOException {
        askAll();
        for (int missing = CONNECTIONS; missing > 0;) {
            missing -= selector.select();
            for (SelectionKey key : selector.selectedKeys()) {
                SocketChannel channel = (SocketChannel) key.channel();
                require(channel.read(buffer.clear()) == BYTES && channel.write(buffer.flip()) == BYTES, "an answer");
            }
            selector.selectedKeys().clear();
        }
        selectNow();
        for (SocketChannel peer : far) {
            for (buffer.clear().limit(BYTES); buffer.hasRemaining();) {
                require(peer.read(buffer) > 0, "an end");
            }
        }
    }

    final void askAll() throws IOException {
        for (SocketChannel peer : far) {
            buffer.clear().limit(BYTES);
            peer.write(buffer);
        }
    }

    /** Writes until there is no room: how many bytes were accepted. */
    final long fill(SocketChannel channel) throws IOException {
        long accepted = 0;
        for (int full = 0; full < 3;) {
            int written = channel.write(buffer.clear());
            accepted += written;
            if (written == 0) {
                full++;
                selectNow();
            }
        }
        return accepted;
    }
}
