// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.ring;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.function.Consumer;

/**
 * Waits in a selector of the virtual machine's default provider. Used by one thread. It allocates nothing itself after
 * construction.
 */
final class SelectorRing extends Ring {
    private final Selector selector = Selector.open();

    /** A field, so that a selection allocates nothing. */
    private final Consumer<SelectionKey> ready = this::ready;

    SelectorRing() throws IOException { }

    @Override
    Link link(Pipe pipe, ByteBuffer buffer) throws IOException {
        return new SelectedLink(pipe, buffer, selector);
    }

    @Override
    void await() throws IOException {
        selector.select(ready);
    }

    private void ready(SelectionKey key) {
        SelectedLink link = (SelectedLink) key.attachment();
        try {
            if (key == link.sinkKey) {
                link.write();
            } else {
                readable(link);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() throws IOException {
        selector.close();
        super.close();
    }

    private static final class SelectedLink extends Link {
        private final SelectionKey sinkKey;

        SelectedLink(Pipe pipe, ByteBuffer buffer, Selector selector) throws IOException {
            super(pipe, buffer);
            source.register(selector, SelectionKey.OP_READ, this);
            sinkKey = sink.register(selector, 0, this);
        }

        @Override
        void enable() {
            sinkKey.interestOps(SelectionKey.OP_WRITE);
        }

        @Override
        void goOn(boolean more) {
            if (!more) {
                sinkKey.interestOps(0);
            }
        }
    }
}
