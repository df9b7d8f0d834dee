// SPDX-License-Identifier: Apache-2.0
package dev.pollux.selector;

import dev.pollux.lab.Loop;
import java.io.IOException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.List;
import java.util.function.Consumer;

/** A selector. */
record SelectorLoop(Selector selector) implements Loop {

    @Override
    public List<Wait> waits() {
        return List.of(this::select, this::selectWithAction);
    }

    private int select(long millis, Runnable action) throws IOException {
        int n = millis < 0 ? selector.select() : millis == 0 ? selector.selectNow() : selector.select(millis);
        if (n > 0) {
            selector.selectedKeys().forEach(key -> action.run());
            selector.selectedKeys().clear();
        }
        return n;
    }

    private int selectWithAction(long millis, Runnable action) throws IOException {
        Consumer<SelectionKey> each = key -> action.run();
        return millis < 0 ? selector.select(each)
                : millis == 0 ? selector.selectNow(each) : selector.select(each, millis);
    }

    @Override
    public void watch(SelectableChannel channel) throws IOException {
        channel.register(selector, SelectionKey.OP_READ);
    }

    @Override
    public void wakeup() {
        selector.wakeup();
    }

    @Override
    public boolean isOpen() {
        return selector.isOpen();
    }

    @Override
    public Class<ClosedSelectorException> closedException() {
        return ClosedSelectorException.class;
    }

    @Override
    public void close() throws IOException {
        selector.close();
    }
}
