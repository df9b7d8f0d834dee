// SPDX-License-Identifier: Apache-2.0
package dev.pollux.soak;

import static java.nio.channels.SelectionKey.OP_ACCEPT;
import static java.nio.channels.SelectionKey.OP_READ;

import dev.pollux.lab.Io;
import java.nio.ByteBuffer;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.Pipe;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;

/**
 * Connections move between three selectors, and back to the same one. Beside them pipes come and go, each with the
 * number of one that was closed just before.
 */
final class Reregistration extends EchoScenario {
    private static final int SELECTORS = 3;
    private static final int CHURNING = 2;

    private final List<Selector> selectors = new ArrayList<>();

    Reregistration(Site site) {
        super(site);
    }

    @Override
    void startServer(List<ServerSocketChannel> listeners) throws Exception {
        for (int i = 0; i < SELECTORS; i++) {
            selectors.add(selector());
        }
        for (ServerSocketChannel listener : listeners) {
            listener.register(any(), OP_ACCEPT);
        }
        for (Selector selector : selectors) {
            serve("select", () -> select(selector));
        }
        for (int i = 0; i < CHURNING; i++) {
            Flow flow = flow("pipes " + i);
            drive("pipes " + i, () -> churn(flow));
        }
    }

    private Selector any() {
        return selectors.get(random(SELECTORS));
    }

    private void register(SelectableChannel channel, int interest, Object attachment) throws ClosedChannelException {
        Selector target = any();
        channel.register(target, interest, attachment);
        tally.changes.increment();
        tally.wakeups.increment();
        target.wakeup();
    }

    private void select(Selector selector) throws Exception {
        List<SelectionKey> moving = new ArrayList<>();
        while (!isClosing()) {
            selector.select();
            for (SelectionKey key : selector.selectedKeys()) {
                tally.events.increment();
                try {
                    ready(key, moving);
                } catch (CancelledKeyException e) {
                    tally.expected.increment();
                }
            }
            selector.selectedKeys().clear();
            if (!moving.isEmpty()) {
                selector.selectNow();
                for (SelectionKey key : moving) {
                    move(key);
                }
                moving.clear();
            }
        }
    }

    private void ready(SelectionKey key, List<SelectionKey> moving) throws Exception {
        if (key.channel() instanceof ServerSocketChannel listener) {
            SocketChannel accepted = accept(listener);
            if (accepted != null) {
                register(accepted, OP_READ, new Echo(accepted));
            }
        } else if (key.attachment() instanceof Semaphore done) {
            report((Pipe.SourceChannel) key.channel(), done);
        } else {
            int interest = ((Echo) key.attachment()).turn();
            if (interest != Echo.CLOSED && oneIn(16)) {
                key.cancel();
                moving.add(key);
            } else if (interest != Echo.CLOSED) {
                key.interestOps(interest);
            }
        }
    }

    private void move(SelectionKey key) throws Exception {
        Echo echo = (Echo) key.attachment();
        int interest = echo.turn();
        if (interest != Echo.CLOSED) {
            register(echo.channel, interest, echo);
        }
    }

    private void report(Pipe.SourceChannel source, Semaphore done) throws Exception {
        try {
            if (source.read(ByteBuffer.allocate(2)) == 1) {
                if (oneIn(4)) {
                    source.close();
                }
                done.release();
            }
        } catch (ClosedChannelException e) {
            tally.expected.increment();
        }
    }

    private void churn(Flow flow) throws Exception {
        Semaphore done = new Semaphore(0);
        while (!isStopping()) {
            Pipe pipe = pipe();
            boolean early = oneIn(2);
            if (early) {
                Io.feed(pipe);
            }
            register(pipe.source(), OP_READ, done);
            pause();
            if (!early) {
                Io.feed(pipe);
            }
            done.acquire();
            pipe.source().close();
            pipe.sink().close();
            if (oneIn(2)) {
                selectors.forEach(Selector::wakeup); // the number is free now; else when its selector selects again
            }
            tally.exchanges.increment();
            flow.beat();
        }
    }
}
