// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.selector;

import dev.pollux.EPollSelectorProvider;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;

/** Selectors and channels on epoll, without checked exceptions: for the fields of a state. */
final class Selectors {
    private static final SelectorProvider PROVIDER = new EPollSelectorProvider();

    private Selectors() {
    }

    static Selector open() {
        try {
            return PROVIDER.openSelector();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** As {@link Selector#select(long)}, but without a wait if the time is 0. */
    static void select(Selector selector, long millis) {
        try {
            if (millis == 0) {
                selector.selectNow();
            } else {
                selector.select(millis);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static void close(Closeable... all) {
        try {
            for (Closeable each : all) {
                each.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static SocketChannel channel() {
        try {
            SocketChannel channel = PROVIDER.openSocketChannel();
            channel.configureBlocking(false);
            return channel;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static SelectionKey register(SocketChannel channel, Selector selector, int interest) {
        try {
            return channel.register(selector, interest);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
