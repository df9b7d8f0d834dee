// SPDX-License-Identifier: Apache-2.0
package dev.pollux.soak;

import static java.nio.channels.SelectionKey.OP_ACCEPT;
import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;

import java.nio.channels.CancelledKeyException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Two threads change the interest of keys to and fro while a third one selects. */
final class ToggledInterest extends EchoScenario {
    private static final int TOGGLING = 2;

    private Selector selector;

    ToggledInterest(Site site) {
        super(site);
    }

    @Override
    void startServer(List<ServerSocketChannel> listeners) throws Exception {
        selector = selector();
        for (ServerSocketChannel listener : listeners) {
            listener.register(selector, OP_ACCEPT);
        }
        serve("select", () -> {
            while (!isClosing()) {
                selector.select(this::ready);
            }
        });
        for (int i = 0; i < TOGGLING; i++) {
            serve("toggle " + i, this::toggleAll);
        }
    }

    private void ready(SelectionKey key) {
        tally.events.increment();
        try {
            if (key.channel() instanceof ServerSocketChannel listener) {
                SocketChannel accepted = accept(listener);
                if (accepted != null) {
                    accepted.register(selector, OP_READ, new Echo(accepted));
                }
                return;
            }
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
        int interest = ((Echo) key.attachment()).turn();
        if (interest == OP_READ) {
            key.interestOpsOr(OP_READ);
            key.interestOpsAnd(~OP_WRITE);
        } else if (interest == OP_WRITE) {
            key.interestOpsOr(OP_WRITE);
        }
    }

    private void toggleAll() {
        while (!isClosing()) {
            for (SelectionKey key : selector.keys()) {
                if (oneIn(4)) {
                    try {
                        toggle(key, key.channel() instanceof ServerSocketChannel ? OP_ACCEPT : OP_READ | OP_WRITE);
                    } catch (CancelledKeyException e) {
                        tally.expected.increment();
                    }
                    LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(random(200)));
                }
            }
            LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(100));
        }
    }

    /** The last change asks for everything, since the other thread may have taken away what the server asked for. */
    private void toggle(SelectionKey key, int all) {
        for (int left = random(5); left > 0; left--) {
            change(key, all);
            tally.changes.increment();
            if (oneIn(4)) {
                tally.wakeups.increment();
                selector.wakeup();
            }
            pause();
        }
        key.interestOpsOr(all);
        tally.changes.increment();
        tally.wakeups.increment();
        selector.wakeup();
    }

    private static void change(SelectionKey key, int all) {
        switch (random(6)) {
            case 0 -> key.interestOps(0);
            case 1 -> key.interestOps(OP_READ & all);
            case 2 -> key.interestOps(OP_WRITE & all);
            case 3 -> key.interestOps(all);
            case 4 -> key.interestOpsAnd(OP_WRITE & all);
            default -> key.interestOpsOr(OP_READ & all);
        }
    }
}
