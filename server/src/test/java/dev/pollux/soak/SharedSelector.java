// SPDX-License-Identifier: Apache-2.0
package dev.pollux.soak;

import static java.nio.channels.SelectionKey.OP_ACCEPT;
import static java.nio.channels.SelectionKey.OP_READ;

import java.nio.channels.CancelledKeyException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Several threads select on one selector. Others wake and interrupt them, and walk through its sets of keys. */
final class SharedSelector extends EchoScenario {
    private static final int SELECTING = 3;

    /** More than one key is left in the set for the others. */
    private static final int SHARE = 3;

    private final List<Turnstile> turnstiles = new ArrayList<>();
    private Selector selector;

    SharedSelector(Site site) {
        super(site);
    }

    /** Lets a thread be interrupted inside a selection only, since elsewhere that would close the channel it reads. */
    private static final class Turnstile {
        private Thread inside;

        synchronized void enter() {
            inside = Thread.currentThread();
        }

        synchronized void leave() {
            inside = null;
            Thread.interrupted();
        }

        synchronized boolean interrupt() {
            if (inside == null) {
                return false;
            }
            inside.interrupt();
            return true;
        }
    }

    @Override
    void startServer(List<ServerSocketChannel> listeners) throws Exception {
        selector = selector();
        for (ServerSocketChannel listener : listeners) {
            listener.register(selector, OP_ACCEPT);
        }
        for (int i = 0; i < SELECTING; i++) {
            Turnstile turnstile = new Turnstile();
            turnstiles.add(turnstile);
            serve("select " + i, () -> select(turnstile));
        }
        serve("disturb", this::disturb);
        serve("walk", this::walk);
    }

    private void select(Turnstile turnstile) throws Exception {
        while (!isClosing()) {
            turnstile.enter();
            try {
                selector.select();
            } finally {
                turnstile.leave();
            }
            for (SelectionKey key : takeSome()) {
                tally.events.increment();
                try {
                    ready(key);
                } catch (CancelledKeyException e) {
                    tally.expected.increment(); // closed by another thread that was given it too
                }
            }
        }
    }

    private List<SelectionKey> takeSome() {
        List<SelectionKey> taken = new ArrayList<>();
        Set<SelectionKey> selected = selector.selectedKeys();
        synchronized (selected) {
            for (Iterator<SelectionKey> i = selected.iterator(); i.hasNext() && taken.size() < SHARE;) {
                taken.add(i.next());
                i.remove();
            }
        }
        return taken;
    }

    private void ready(SelectionKey key) throws Exception {
        if (key.channel() instanceof ServerSocketChannel listener) {
            SocketChannel accepted = accept(listener);
            if (accepted != null) {
                accepted.register(selector, OP_READ, new Echo(accepted));
                selector.wakeup();
            }
            return;
        }
        Echo echo = (Echo) key.attachment();
        synchronized (echo) {
            int interest = echo.turn();
            if (interest != Echo.CLOSED) {
                key.interestOps(interest);
            }
        }
        selector.wakeup(); // another thread may be in a selection that knows nothing of the new interest
        tally.wakeups.increment();
    }

    private void disturb() {
        while (!isClosing()) {
            if (oneIn(2)) {
                selector.wakeup();
                tally.wakeups.increment();
            } else if (turnstiles.get(random(SELECTING)).interrupt()) {
                tally.interrupts.increment();
            }
            LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(random(1000)));
        }
    }

    private void walk() {
        long valid = 0;
        while (!isClosing()) {
            for (SelectionKey key : selector.keys()) {
                valid += key.isValid() ? 1 : 0;
            }
            Set<SelectionKey> selected = selector.selectedKeys();
            synchronized (selected) {
                for (SelectionKey key : selected) {
                    valid += key.isValid() ? 1 : 0;
                }
            }
            LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(random(1000)));
        }
        if (valid == 0) {
            throw new IllegalStateException("no key was ever seen");
        }
    }
}
