// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.loop;

import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.spi.AbstractSelectableChannel;
import java.nio.channels.spi.AbstractSelector;
import java.util.Set;

/**
 * Tells a {@link WaitStrategy} that its thread was interrupted. {@link AbstractSelector} is the one class by which the
 * JDK tells of that. A selector does not use itself: it could not tell interrupts from wakeups, and they may come
 * late. Safe for use by many threads. Allocates at its first use.
 */
final class Interruption extends AbstractSelector {
    private final WaitStrategy waiting;

    Interruption(WaitStrategy waiting) {
        super(null);
        this.waiting = waiting;
    }

    void listen() {
        begin();
    }

    void ignore() {
        end();
    }

    @Override
    public Selector wakeup() {
        waiting.onInterrupt();
        return this;
    }

    @Override
    protected void implCloseSelector() {
        // holds nothing
    }

    @Override
    protected SelectionKey register(AbstractSelectableChannel channel, int events, Object attachment) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Set<SelectionKey> keys() {
        throw new UnsupportedOperationException();
    }

    @Override
    public Set<SelectionKey> selectedKeys() {
        throw new UnsupportedOperationException();
    }

    @Override
    public int selectNow() {
        throw new UnsupportedOperationException();
    }

    @Override
    public int select(long timeout) {
        throw new UnsupportedOperationException();
    }

    @Override
    public int select() {
        throw new UnsupportedOperationException();
    }
}
