// SPDX-License-Identifier: Apache-2.0
package dev.pollux.soak;

import static java.nio.channels.SelectionKey.OP_READ;

import dev.pollux.Poller;
import dev.pollux.lab.Descriptors;
import java.io.IOException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * An echo server on a Poller: several threads await in all three forms, members are level-triggered, edge-triggered and
 * one-shot, and another thread disables, enables and modifies them.
 */
final class PollerEcho extends EchoScenario {
    private final Map<Integer, Object> attachments = new ConcurrentHashMap<>();
    private Poller poller;

    PollerEcho(Site site) {
        super(site);
    }

    /** A member, and how it is watched. */
    private record Connection(Echo echo, int flag) {
    }

    @Override
    void startServer(List<ServerSocketChannel> listeners) throws Exception {
        poller = poller();
        opened(this::closeConnections);
        for (ServerSocketChannel listener : listeners) {
            add(listener, Poller.POLLIN | (oneIn(2) ? Poller.ONESHOT : 0), listener);
        }
        serve("handler", () -> {
            while (!isClosing()) {
                poller.await(this::ready, -1);
            }
        });
        serve("iteration", () -> {
            while (!isClosing()) {
                for (Poller.Ready ready : poller.await(-1)) {
                    ready(ready.descriptor(), ready.events(), ready.attachment());
                }
            }
        });
        serve("arrays", this::awaitArrays);
        serve("change", this::changeAll);
        if (Site.JDK >= 21) {
            serveVirtually(() -> {
                while (!isClosing()) {
                    poller.await(this::ready, -1);
                }
            });
        }
    }

    private void awaitArrays() throws Exception {
        int[] descriptors = new int[2];
        short[] events = new short[2];
        while (!isClosing()) {
            int n = poller.await(descriptors, events, -1);
            for (int i = 0; i < n; i++) {
                Object attachment = attachments.get(descriptors[i]);
                if (attachment != null) {
                    ready(descriptors[i], events[i], attachment);
                }
            }
        }
    }

    /** Into the map first: it may be reported before this returns. */
    private void add(SelectableChannel source, int events, Object attachment) throws Exception {
        attachments.put(Descriptors.numberOf(source), attachment);
        poller.add(source, events, attachment);
        tally.changes.increment();
    }

    private void ready(int descriptor, int events, Object attachment) throws IOException {
        pause();
        tally.events.increment();
        if (attachment instanceof ServerSocketChannel listener) {
            acceptFrom(listener);
            return;
        }
        Connection connection = (Connection) attachment;
        synchronized (connection.echo) {
            boolean edge = connection.flag == Poller.EDGE;
            int interest = edge ? connection.echo.exhaust() : connection.echo.turn();
            if (interest == Echo.CLOSED || edge) {
                return; // an edge-triggered member is watched for everything
            }
            int wanted = interest == OP_READ ? Poller.POLLIN : Poller.POLLOUT;
            if (events == Poller.POLLIN && wanted == Poller.POLLIN) {
                poller.enable(connection.echo.channel);
            } else {
                poller.modify(connection.echo.channel, wanted | connection.flag);
                tally.changes.increment();
            }
        }
    }

    private void acceptFrom(ServerSocketChannel listener) throws IOException {
        try {
            SocketChannel accepted = accept(listener);
            if (accepted != null) {
                int flag = switch (random(3)) {
                    case 0 -> Poller.ONESHOT;
                    case 1 -> poller.supports(Poller.EDGE) ? Poller.EDGE : 0;
                    default -> 0;
                };
                int events = flag == Poller.EDGE ? Poller.POLLIN | Poller.POLLOUT : Poller.POLLIN;
                add(accepted, events | flag, new Connection(new Echo(accepted, this::remove), flag));
            }
            poller.enable(listener);
        } catch (IOException | RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IOException(e);
        }
    }

    /** The number is free for another one as soon as the channel is closed, so it goes before. */
    private void remove(SocketChannel closing) throws IOException {
        try {
            attachments.remove(Descriptors.numberOf(closing));
        } catch (ReflectiveOperationException e) {
            throw new IOException(e);
        }
        poller.remove(closing);
    }

    private void closeConnections() {
        for (Object attachment : attachments.values()) {
            if (attachment instanceof Connection connection) {
                connection.echo.close();
            }
        }
    }

    private void changeAll() throws Exception {
        while (!isClosing()) {
            for (Object attachment : attachments.values()) {
                if (attachment instanceof Connection connection && oneIn(4)) {
                    try {
                        change(connection);
                    } catch (NoSuchElementException e) {
                        tally.expected.increment(); // not yet added, or removed and about to be closed
                    } catch (IOException e) {
                        if (connection.echo.channel.isOpen()) {
                            throw e;
                        }
                        tally.expected.increment();
                    }
                }
                LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(random(200)));
            }
        }
    }

    /** What it asks for at last is all that the server may wait for. */
    private void change(Connection connection) throws IOException {
        SocketChannel channel = connection.echo.channel;
        if (oneIn(2)) {
            poller.disable(channel);
            pause();
            poller.enable(channel);
        } else {
            poller.modify(channel, Poller.POLLIN | Poller.POLLOUT | connection.flag);
        }
        tally.changes.increment();
        if (oneIn(8)) {
            poller.wakeup();
            tally.wakeups.increment();
        }
    }
}
