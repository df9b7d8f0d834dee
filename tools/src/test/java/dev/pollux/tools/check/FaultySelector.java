// SPDX-License-Identifier: Apache-2.0
package dev.pollux.tools.check;

import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.spi.SelectorProvider;
import java.util.Set;
import java.util.function.Consumer;

/** A selector that breaks a promise: what is not overridden goes to a real one. As safe for threads as that. */
class FaultySelector extends Selector {
    final Selector real;

    FaultySelector(Selector real) {
        this.real = real;
    }

    @Override
    public boolean isOpen() {
        return real.isOpen();
    }

    @Override
    public SelectorProvider provider() {
        return real.provider();
    }

    @Override
    public Set<SelectionKey> keys() {
        return real.keys();
    }

    @Override
    public Set<SelectionKey> selectedKeys() {
        return real.selectedKeys();
    }

    @Override
    public int selectNow() throws IOException {
        return real.selectNow();
    }

    @Override
    public int select(long timeout) throws IOException {
        return real.select(timeout);
    }

    @Override
    public int select() throws IOException {
        return select(0);
    }

    @Override
    public int select(Consumer<SelectionKey> action) throws IOException {
        return real.select(action);
    }

    @Override
    public Selector wakeup() {
        real.wakeup();
        return this;
    }

    @Override
    public void close() throws IOException {
        real.close();
    }
}
