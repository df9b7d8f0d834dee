// SPDX-License-Identifier: Apache-2.0
package dev.pollux.soak;

import static java.nio.channels.SelectionKey.OP_ACCEPT;
import static java.nio.channels.SelectionKey.OP_READ;

import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * The selecting thread takes interest away from what is ready. A worker reads and writes, gives interest back, and
 * wakes the selector up.
 */
final class HandOff extends EchoScenario {
    private static final int WORKERS = 3;

    private final BlockingQueue<SelectionKey> ready = new LinkedBlockingQueue<>();
    private Selector selector;

    HandOff(Site site) {
        super(site);
    }

    @Override
    void startServer(List<ServerSocketChannel> listeners) throws Exception {
        selector = selector();
        for (ServerSocketChannel listener : listeners) {
            listener.register(selector, OP_ACCEPT);
        }
        serve("select", this::select);
        for (int i = 0; i < WORKERS; i++) {
            serve("worker " + i, this::work);
        }
    }

    private void select() throws Exception {
        while (!isClosing()) {
            selector.select();
            for (SelectionKey key : selector.selectedKeys()) {
                tally.events.increment();
                if (key.channel() instanceof ServerSocketChannel listener) {
                    SocketChannel accepted = accept(listener);
                    if (accepted != null) {
                        accepted.register(selector, OP_READ, new Echo(accepted));
                    }
                } else {
                    key.interestOps(0);
                    ready.add(key);
                }
            }
            selector.selectedKeys().clear();
            pause();
        }
    }

    private void work() throws Exception {
        while (!isClosing()) {
            SelectionKey key = ready.poll(50, TimeUnit.MILLISECONDS);
            if (key == null) {
                continue;
            }
            pause();
            int interest = ((Echo) key.attachment()).turn();
            if (interest != Echo.CLOSED) {
                key.interestOps(interest);
                tally.changes.increment();
            }
            tally.wakeups.increment();
            selector.wakeup();
        }
    }
}
