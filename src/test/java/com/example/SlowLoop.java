// SPDX-License-Identifier: Apache-2.0
package com.example;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import dev.pollux.ClosedPollerException;
import dev.pollux.Poller;
import dev.pollux.Poller.Ready;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Loops whose handler blocks for a channel with an attachment, until it is released. Others are left ready. They are of
 * another product than Pollux, as those of users are: whose code a thread is in tells whether its loop is blocked.
 */
public final class SlowLoop {
    private static final long LONG_SECONDS = 60;

    private final CountDownLatch entered = new CountDownLatch(1);
    private final CountDownLatch release = new CountDownLatch(1);

    /** Returns once the handler blocks; false if it never does. */
    public boolean awaitBlocking() throws InterruptedException {
        return entered.await(LONG_SECONDS, TimeUnit.SECONDS);
    }

    public void release() {
        release.countDown();
    }

    /**
     * Selects until the selector is closed, and looks at its selected keys. {@link Selector#close} takes keys out of
     * that set with its monitor held, so whoever iterates holds it, too.
     */
    public void iterate(Selector selector) throws IOException {
        Set<SelectionKey> selected = selector.selectedKeys();
        while (selector.isOpen()) {
            selector.select();
            synchronized (selected) {
                selected.forEach(this::handle);
                selected.clear();
            }
        }
    }

    /** Selects with an action until the selector is closed. */
    public void act(Selector selector) throws IOException {
        while (selector.isOpen()) {
            selector.select(this::handle);
        }
    }

    /** Awaits with a handler until the Poller is closed. */
    public void act(Poller poller) throws IOException {
        while (poller.isOpen()) {
            try {
                poller.await((member, events) -> handle(member.attachment()));
            } catch (ClosedPollerException closed) {
                return;
            }
        }
    }

    /** Iterates over what is ready until the Poller is closed. */
    public void iterate(Poller poller) throws IOException {
        while (poller.isOpen()) {
            try {
                for (Ready ready : poller.await(Poller.FOREVER, NANOSECONDS)) {
                    handle(ready.member().attachment());
                }
            } catch (ClosedPollerException closed) {
                return;
            }
        }
    }

    private void handle(SelectionKey key) {
        handle(key.attachment());
    }

    private void handle(Object attachment) {
        if (attachment == null) {
            return;
        }
        try {
            ((ReadableByteChannel) attachment).read(ByteBuffer.allocate(100));
            handleWhatTakesLong();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void handleWhatTakesLong() throws InterruptedException {
        entered.countDown();
        if (!release.await(LONG_SECONDS, TimeUnit.SECONDS)) {
            throw new IllegalStateException("it is not released");
        }
    }
}
