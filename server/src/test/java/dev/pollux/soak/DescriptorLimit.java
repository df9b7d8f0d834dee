// SPDX-License-Identifier: Apache-2.0
package dev.pollux.soak;

import static java.nio.channels.SelectionKey.OP_ACCEPT;

import dev.pollux.Poller;
import dev.pollux.lab.Workbench;
import java.io.Closeable;
import java.io.FileInputStream;
import java.io.IOException;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

/**
 * Now and then this takes every descriptor that is left, from all scenarios, holds them for a while, and gives them
 * back. A connection that came in that time must be accepted after it.
 */
final class DescriptorLimit extends Scenario {
    /**
     * Held while there is no descriptor left, and by what starts a process: if a pipe can't be had, the JDK's
     * ProcessBuilder (17 and 25) closes two descriptors whose numbers it has never set, which may be those of others.
     */
    static final Object LIMIT = new Object();

    private static final String FILE = "/dev/null";
    private static final int MAX_SECONDS_BETWEEN = 10;

    private final Deque<Closeable> taken = new ArrayDeque<>();
    private Selector selector;
    private ServerSocketChannel listener;

    DescriptorLimit(Site site) {
        super(site);
    }

    @Override
    void start() throws Exception {
        selector = selector();
        listener = opened(opening(site.provider()::openServerSocketChannel));
        listener.bind(Workbench.loopback(0)).configureBlocking(false);
        listener.register(selector, OP_ACCEPT);
        Flow flow = flow("episodes");
        drive("fill", () -> {
            while (!isStopping()) {
                sleepSome();
                episode();
                tally.exchanges.increment();
                flow.beat();
            }
        });
    }

    private void sleepSome() throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(1 + random(MAX_SECONDS_BETWEEN));
        while (!isStopping() && System.nanoTime() < end) {
            Thread.sleep(20);
        }
    }

    private void episode() throws Exception {
        SocketChannel client = opening(site.provider()::openSocketChannel);
        SocketChannel accepted;
        synchronized (LIMIT) {
            accepted = connectWithoutDescriptors(client);
        }
        while (accepted == null) {
            accepted = accept(0);
        }
        accepted.close();
        client.close();
    }

    /** What was accepted of this client meanwhile; null: nothing yet. */
    private SocketChannel connectWithoutDescriptors(SocketChannel client) throws Exception {
        SocketChannel accepted = null;
        try {
            takeAll();
            client.connect(listener.getLocalAddress());
            long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(20 + random(200));
            while (System.nanoTime() < end) {
                tryToOpen(site.provider()::openSelector);
                tryToOpen(() -> Poller.open(site.mechanism(), 1));
                accepted = accepted == null ? accept(20) : accepted;
                takeAll(); // what others have given back
            }
            return accepted;
        } finally {
            while (!taken.isEmpty()) {
                taken.pop().close();
            }
        }
    }

    private void takeAll() throws IOException {
        try {
            while (true) {
                taken.push(new FileInputStream(FILE));
            }
        } catch (IOException e) {
            requireLimit(e);
        }
    }

    private void tryToOpen(Callable<? extends AutoCloseable> open) throws Exception {
        try {
            open.call().close();
            tally.opened.increment();
        } catch (IOException e) {
            requireLimit(e);
        }
    }

    /** @param millis how long to wait, 0 for ever */
    private SocketChannel accept(long millis) throws IOException {
        selector.select(millis);
        tally.events.add(selector.selectedKeys().size());
        selector.selectedKeys().clear();
        try {
            return listener.accept();
        } catch (IOException e) {
            requireLimit(e);
            return null;
        }
    }
}
