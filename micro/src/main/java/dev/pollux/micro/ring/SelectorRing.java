// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.ring;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.function.Consumer;

/**
 * Waits in a selector of the virtual machine's default provider. Used by one thread. It allocates nothing itself after
 * construction.
 */
final class SelectorRing extends Ring {
    private final Selector selector = Selector.open();
    private final SelectionKey[] sinks;
    /** A field, so that a selection allocates nothing. */
    private final Consumer<SelectionKey> ready = this::ready;

    SelectorRing(int count, int tokens) throws IOException {
        super(count, tokens);
        sinks = new SelectionKey[count];
        for (int i = 0; i < count; i++) {
            pipes[i].source().register(selector, SelectionKey.OP_READ, 2 * i);
            sinks[i] = pipes[i].sink().register(selector, 0, 2 * i + 1);
        }
    }

    @Override
    void watch(int pipe, boolean on) {
        sinks[pipe].interestOps(on ? SelectionKey.OP_WRITE : 0);
    }

    @Override
    void await() throws IOException {
        selector.select(ready);
    }

    private void ready(SelectionKey key) {
        try {
            handle((Integer) key.attachment());
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
