// SPDX-License-Identifier: Apache-2.0
package dev.pollux.soak;

import static java.nio.channels.SelectionKey.OP_ACCEPT;
import static java.nio.channels.SelectionKey.OP_READ;

import java.io.IOException;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * Actions of a selection throw before or after their work, close their channel, or cancel and close other keys. They do
 * the work themselves for a second, and leave it to another thread in the next, when keys are armed for one event.
 */
final class ThrowingActions extends EchoScenario {
    private final List<Echo> cancelled = new ArrayList<>();
    private final BlockingQueue<Echo> handedOff = new LinkedBlockingQueue<>();
    private Selector selector;

    ThrowingActions(Site site) {
        super(site);
    }

    private static final class PlannedException extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    private static final class PlannedError extends Error {
        private static final long serialVersionUID = 1;
    }

    @Override
    boolean cutsConnections() {
        return true;
    }

    @Override
    void startServer(List<ServerSocketChannel> listeners) throws Exception {
        selector = selector();
        for (ServerSocketChannel listener : listeners) {
            listener.register(selector, OP_ACCEPT);
        }
        serve("select", () -> {
            while (!isClosing()) {
                guarded(() -> selector.select(this::ready));
                while (!cancelled.isEmpty()) {
                    guarded(() -> selector.selectNow(this::ready));
                    cancelled.removeIf(this::isRegisteredAgain);
                }
            }
        });
        serve("worker", () -> {
            while (!isClosing()) {
                Echo echo = handedOff.poll(20, TimeUnit.MILLISECONDS);
                if (echo != null) {
                    pause();
                    work(echo);
                    selector.wakeup();
                }
            }
        });
    }

    /** The key may be another one by now. If it is cancelled the selecting thread registers the connection again. */
    private void work(Echo echo) {
        synchronized (echo) {
            int interest = echo.turn();
            SelectionKey key = echo.channel.keyFor(selector);
            if (interest != Echo.CLOSED && key != null) {
                try {
                    key.interestOps(interest);
                    tally.changes.increment();
                } catch (CancelledKeyException e) {
                    tally.expected.increment();
                }
            }
        }
    }

    private void guarded(Body select) throws Exception {
        try {
            select.run();
        } catch (PlannedException | PlannedError e) {
            tally.expected.increment();
        }
    }

    private void ready(SelectionKey key) {
        tally.events.increment();
        int chance = random(400);
        if (chance < 8) {
            throw new PlannedException(); // nothing is read yet: it must be reported again
        }
        if (key.channel() instanceof ServerSocketChannel listener) {
            acceptFrom(listener);
            return;
        }
        Echo echo = (Echo) key.attachment();
        if ((System.nanoTime() >> 30 & 1) == 0) {
            work(echo);
        } else if (key.isValid()) {
            key.interestOps(0);
            handedOff.add(echo);
        }
        if (chance < 16) {
            throw new PlannedError();
        } else if (chance < 24) {
            disturb(other());
        } else if (chance == 24) {
            echo.close();
        }
    }

    private void acceptFrom(ServerSocketChannel listener) {
        try {
            SocketChannel accepted = accept(listener);
            if (accepted != null) {
                accepted.register(selector, OP_READ, new Echo(accepted));
            }
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private SelectionKey other() {
        SelectionKey other = null;
        int left = random(selector.keys().size() + 1);
        for (SelectionKey key : selector.keys()) {
            if (key.attachment() instanceof Echo) {
                other = key;
            }
            if (left-- <= 0) {
                break;
            }
        }
        return other;
    }

    private void disturb(SelectionKey key) {
        if (key == null || !key.isValid()) {
            return;
        }
        Echo echo = (Echo) key.attachment();
        if (oneIn(8)) {
            echo.close();
        } else {
            key.cancel();
            tally.changes.increment();
            cancelled.add(echo);
        }
    }

    private boolean isRegisteredAgain(Echo echo) {
        synchronized (echo) {
            int interest = echo.turn();
            if (interest != Echo.CLOSED) {
                try {
                    echo.channel.register(selector, interest, echo);
                    tally.changes.increment();
                } catch (CancelledKeyException e) {
                    return false;
                } catch (IOException e) {
                    throw new IllegalStateException(e);
                }
            }
            return true;
        }
    }
}
