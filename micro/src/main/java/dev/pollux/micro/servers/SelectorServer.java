// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/** One thread with one selector, of whatever provider this virtual machine has. Used by one thread. */
final class SelectorServer implements Server {
    private final Sizes sizes;
    private final Selector selector;
    private final ByteBuffer buffer;

    SelectorServer(Sizes sizes) throws IOException {
        this.sizes = sizes;
        buffer = sizes.buffer();
        selector = Selector.open();
    }

    @Override
    public void serve(ServerSocketChannel listener) throws IOException {
        listener.configureBlocking(false);
        listener.register(selector, SelectionKey.OP_ACCEPT);
        while (true) {
            selector.select(this::ready);
        }
    }

    private void ready(SelectionKey key) {
        try {
            if (key.attachment() instanceof Connection connection) {
                if (!connection.serve(buffer)) {
                    connection.close();
                }
            } else {
                accept((ServerSocketChannel) key.channel());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void accept(ServerSocketChannel listener) throws IOException {
        for (SocketChannel channel; (channel = listener.accept()) != null; ) {
            channel.configureBlocking(false);
            channel.register(selector, SelectionKey.OP_READ, new Connection(channel, sizes));
        }
    }

    @Override
    public String engine() {
        return selector.getClass().getSimpleName();
    }
}
