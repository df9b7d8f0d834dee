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

/** Actions of a selection throw before or after their work, close their channel, or cancel and close other keys. */
final class ThrowingActions extends EchoScenario {
    private final List<Echo> cancelled = new ArrayList<>();
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
        int interest = echo.turn();
        if (interest != Echo.CLOSED && key.isValid()) {
            key.interestOps(interest);
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
