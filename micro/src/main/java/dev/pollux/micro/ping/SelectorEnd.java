// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.ping;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.function.Consumer;

/** Waits in a selector of its own, of the virtual machine's default provider. */
final class SelectorEnd extends End {
    private final Selector selector;

    /** A field, so that a selection allocates nothing. */
    private final Consumer<SelectionKey> ready = this::ready;

    private ByteBuffer into;
    private int count;

    SelectorEnd(SocketChannel channel, int size) throws IOException {
        super(channel, size);
        channel.configureBlocking(false);
        selector = Selector.open();
        channel.register(selector, SelectionKey.OP_READ);
    }

    @Override
    int read(ByteBuffer buffer) throws IOException {
        into = buffer;
        count = 0;
        selector.select(ready);
        return count;
    }

    private void ready(SelectionKey key) {
        try {
            count = channel.read(into);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() throws IOException {
        selector.close();
        super.close();
    }
}
