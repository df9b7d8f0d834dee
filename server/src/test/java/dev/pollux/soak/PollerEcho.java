// SPDX-License-Identifier: Apache-2.0
package dev.pollux.soak;

import static java.nio.channels.SelectionKey.OP_READ;
import static java.util.concurrent.TimeUnit.NANOSECONDS;

import dev.pollux.Poller;
import java.io.IOException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * An echo server on a Poller: several threads await in all three forms, members are level-triggered, edge-triggered and
 * one-shot, and another thread disables, enables and modifies them.
 */
final class PollerEcho extends EchoScenario {
    private final Set<Connection> connections = ConcurrentHashMap.newKeySet();
    private Poller poller;

    PollerEcho(Site site) {
        super(site);
    }

    /** A connection, and how it is watched. */
    private final class Connection {
        final Echo echo;
        final int flag;

        /** Written with the echo's monitor held; null until it was added. */
        volatile Poller.Member member;

        Connection(SocketChannel accepted, int flag) {
            this.echo = new Echo(accepted, closing -> remove());
            this.flag = flag;
        }

        private void remove() throws IOException {
            connections.remove(this);
            if (member != null) {
                member.remove();
            }
        }
    }

    @Override
    void startServer(List<ServerSocketChannel> listeners) throws Exception {
        poller = poller();
        opened(this::closeConnections);
        for (ServerSocketChannel listener : listeners) {
            poller.add(listener, Poller.POLLIN | (oneIn(2) ? Poller.ONESHOT : 0), listener);
        }
        serve("handler", () -> {
            while (!isClosing()) {
                poller.await(this::ready);
            }
        });
        serve("iteration", () -> {
            while (!isClosing()) {
                for (Poller.Ready ready : poller.await(Poller.FOREVER, NANOSECONDS)) {
                    ready(ready.member(), ready.events());
                }
            }
        });
        serve("arrays", this::awaitArrays);
        serve("change", this::changeAll);
        if (Site.JDK >= 21) {
            serveVirtually(() -> {
                while (!isClosing()) {
                    poller.await(this::ready);
                }
            });
        }
    }

    private void awaitArrays() throws Exception {
        int[] descriptors = new int[2];
        short[] events = new short[2];
        while (!isClosing()) {
            int n = poller.await(descriptors, events, Poller.FOREVER, NANOSECONDS);
            for (int i = 0; i < n; i++) {
                Poller.Member member = poller.find(descriptors[i]);
                if (member != null) {
                    ready(member, events[i]);
                }
            }
        }
    }

    /** It may be reported before this returns: then whoever is told waits for the monitor. */
    private void add(Connection connection) throws IOException {
        int events = connection.flag == Poller.EDGE ? Poller.POLLIN | Poller.POLLOUT : Poller.POLLIN;
        connections.add(connection);
        synchronized (connection.echo) {
            connection.member = poller.add(connection.echo.channel, events | connection.flag, connection);
        }
        tally.changes.increment();
    }

    private void ready(Poller.Member member, int events) throws IOException {
        pause();
        tally.events.increment();
        if (member.attachment() instanceof ServerSocketChannel listener) {
            acceptFrom(listener, member);
        } else if (member.attachment() instanceof Connection connection) {
            echo(connection, member, events);
        } else {
            tally.expected.increment(); // an iteration has come to a member that was removed meanwhile
        }
    }

    private void echo(Connection connection, Poller.Member member, int events) throws IOException {
        synchronized (connection.echo) {
            boolean edge = connection.flag == Poller.EDGE;
            int interest = edge ? connection.echo.exhaust() : connection.echo.turn();
            if (interest == Echo.CLOSED || edge) {
                return; // an edge-triggered member is watched for everything
            }
            int wanted = interest == OP_READ ? Poller.POLLIN : Poller.POLLOUT;
            if (events == Poller.POLLIN && wanted == Poller.POLLIN) {
                member.enable();
            } else {
                member.modify(wanted | connection.flag);
                tally.changes.increment();
            }
        }
    }

    private void acceptFrom(ServerSocketChannel listener, Poller.Member member) throws IOException {
        try {
            SocketChannel accepted = accept(listener);
            if (accepted != null) {
                int flag = switch (random(3)) {
                    case 0 -> Poller.ONESHOT;
                    case 1 -> poller.supports(Poller.EDGE) ? Poller.EDGE : 0;
                    default -> 0;
                };
                add(new Connection(accepted, flag));
            }
            member.enable();
        } catch (IOException | RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IOException(e);
        }
    }

    private void closeConnections() {
        connections.forEach(connection -> connection.echo.close());
    }

    private void changeAll() throws Exception {
        while (!isClosing()) {
            for (Connection connection : connections) {
                Poller.Member member = connection.member;
                if (member != null && oneIn(4)) {
                    try {
                        change(member, connection.flag);
                    } catch (IllegalStateException e) {
                        tally.expected.increment(); // removed, and about to be closed
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
    private void change(Poller.Member member, int flag) throws IOException {
        if (oneIn(2)) {
            member.disable();
            pause();
            member.enable();
        } else {
            member.modify(Poller.POLLIN | Poller.POLLOUT | flag);
        }
        tally.changes.increment();
        if (oneIn(8)) {
            poller.wakeup();
            tally.wakeups.increment();
        }
    }
}
