// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading.program;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;

import dev.pollux.Poller;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.TimeUnit;

/**
 * An application that {@link Undeployed} loads with a class loader of its own: it waits once, in one of several ways,
 * with itself as the attachment of a key, and cancels that. For one thread.
 */
public final class Deployed implements Runnable {
    private static final long SPIN_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(20);
    private static final long BLOCKED_MILLIS = 3500;

    private final String way;
    private final Object loop;

    public Deployed(String way, Object loop) {
        this.way = way;
        this.loop = loop;
    }

    @Override
    public void run() {
        try {
            if (loop instanceof Poller poller) {
                await(poller);
            } else {
                select((Selector) loop);
            }
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private void await(Poller poller) throws IOException {
        Pipe pipe = Pipe.open();
        pipe.source().configureBlocking(false);
        poller.add(pipe.source(), Poller.POLLIN, this);
        poller.await((member, events) -> { }, 20, MILLISECONDS);
        pipe.sink().write(ByteBuffer.allocate(1));
        poller.await((member, events) -> member.remove(), 10, SECONDS);
        pipe.source().close();
        pipe.sink().close();
    }

    private void select(Selector selector) throws IOException, InterruptedException {
        if (way.equals("lost")) {
            loseAListener(selector);
            return;
        }
        Pipe pipe = Pipe.open();
        pipe.source().configureBlocking(false);
        SelectionKey key = pipe.source().register(selector, SelectionKey.OP_READ, this);
        switch (way) {
            case "selectNow" -> selector.selectNow();
            case "select" -> selector.select(20);
            case "selectNow(Consumer)" -> selector.selectNow(ready -> { });
            case "select(Consumer)" -> selector.select(ready -> { }, 20);
            case "spin" -> spin(selector, pipe);
            case "blocked" -> block(selector, pipe);
            case "storm" -> beWoken(selector);
            case "rebuilt" -> rebuild(pipe);
            default -> throw new IllegalArgumentException(way);
        }
        key.cancel();
        selector.selectNow();
        pipe.source().close();
        pipe.sink().close();
    }

    private static void spin(Selector selector, Pipe pipe) throws IOException {
        pipe.sink().close();
        for (long begin = System.nanoTime(); isToBeSeen(selector, begin);) {
            selector.select();
            selector.selectedKeys().clear();
        }
    }

    /** Another thread of the application wakes it again and again for nothing. What is done with a pipe is unknown. */
    private static void beWoken(Selector selector) throws IOException, InterruptedException {
        selector.keys().forEach(SelectionKey::cancel);
        long begin = System.nanoTime();
        Thread waker = new Thread(() -> {
            while (isToBeSeen(selector, begin)) {
                selector.wakeup();
            }
        });
        waker.start();
        while (isToBeSeen(selector, begin)) {
            selector.select(1);
        }
        waker.join();
    }

    /** On a busy machine, who watches comes late. Nobody watches a selector of the JDK's. */
    private static boolean isToBeSeen(Selector selector, long begin) {
        long passed = System.nanoTime() - begin;
        return passed < SPIN_NANOS || passed < PATIENCE_NANOS && !Undeployed.hasWarned()
                && selector.getClass().getName().startsWith("dev.pollux.");
    }

    /** A library that mistakes a spinning key for a fault of the selector, and replaces that. */
    private void rebuild(Pipe pipe) throws IOException {
        pipe.sink().close();
        for (int i = 0; i < 20; i++) {
            try (Selector another = Selector.open()) {
                pipe.source().register(another, SelectionKey.OP_READ, this);
                for (int j = 0; j < 512; j++) {
                    another.select();
                    another.selectedKeys().clear();
                }
            }
        }
    }

    private static void block(Selector selector, Pipe pipe) throws IOException, InterruptedException {
        for (int i = 0; i < 5; i++) {
            selector.select(1);
        }
        pipe.sink().write(ByteBuffer.allocate(1));
        selector.select();
        Thread.sleep(BLOCKED_MILLIS);
        selector.selectedKeys().clear();
    }

    /** Ends with a connection that waits to be accepted. */
    private static void loseAListener(Selector selector) throws IOException {
        ServerSocketChannel server = ServerSocketChannel.open();
        server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)).configureBlocking(false);
        server.register(selector, SelectionKey.OP_ACCEPT);
        selector.select(20);
        SocketChannel.open(server.getLocalAddress());
    }
}
