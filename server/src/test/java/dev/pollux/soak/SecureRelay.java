// SPDX-License-Identifier: Apache-2.0
package dev.pollux.soak;

import dev.pollux.internal.tls.TlsLab;
import dev.pollux.lab.Workbench;
import dev.pollux.server.CloseReason;
import dev.pollux.server.Connection;
import dev.pollux.server.ConnectionHandler;
import dev.pollux.server.Exchange;
import dev.pollux.server.StreamServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSocket;

/**
 * A StreamServer that relays all to another one, which sends it back, with TLS on every connection. Both use handles,
 * which another thread pauses and resumes. On io_uring where the soak is on epoll.
 */
final class SecureRelay extends Scenario {
    private static final int CLIENTS = 6;
    private static final int LOOPS = 2;
    private static final int SESSIONS = 50;
    private static final int MAX_PENDING = 1 << 14;
    private static final int MAX_LENGTH = 1 << 15;

    private final Set<Connection> connections = ConcurrentHashMap.newKeySet();
    private final AtomicLong began = new AtomicLong();
    private final AtomicLong ended = new AtomicLong();
    private SSLContext context;
    private StreamServer echo;
    private StreamServer relay;

    SecureRelay(Site site) {
        super(site);
    }

    /** With the limit of descriptors reached, the relay can't connect, and closes. */
    @Override
    boolean cutsConnections() {
        return true;
    }

    /** Sends what comes to another connection, and waits while that accepts no more. */
    private class Side implements ConnectionHandler {
        Connection other;

        @Override
        public void onOpen(Exchange exchange) throws Exception {
            began.incrementAndGet();
            connections.add(exchange.connection());
        }

        @Override
        public void onData(ByteBuffer data, Exchange exchange) {
            tally.events.increment();
            if (other.send(data)) {
                data.position(data.limit());
            } else {
                exchange.connection().pause(); // until the other one is writable
            }
        }

        @Override
        public void onWritable(Connection connection) {
            other.resume();
        }

        @Override
        public void onEnd(Exchange exchange) {
            other.shutdownOutput();
        }

        @Override
        public void onClose(Exchange exchange, CloseReason reason) {
            if (connections.remove(exchange.connection())) {
                ended.incrementAndGet();
            }
            if (reason == CloseReason.PEER) {
                other.close();
            } else {
                other.abort(); // each might wait for the other one to read
            }
        }
    }

    /** The client's side of the relay, or of the server that sends all back to where it came from. */
    private final class Shared implements ConnectionHandler {
        private final boolean relays;

        Shared(boolean relays) {
            this.relays = relays;
        }

        @Override
        public void onOpen(Exchange exchange) throws Exception {
            Side near = new Side();
            exchange.connection().attach(near);
            near.other = exchange.connection();
            near.onOpen(exchange);
            if (relays) {
                Side far = new Side();
                far.other = exchange.connection();
                near.other = exchange.server().connect(echo.address(), far, engine(true));
            }
        }

        @Override
        public void onData(ByteBuffer data, Exchange exchange) {
            side(exchange.connection()).onData(data, exchange);
        }

        @Override
        public void onWritable(Connection connection) {
            side(connection).onWritable(connection);
        }

        @Override
        public void onEnd(Exchange exchange) {
            side(exchange.connection()).onEnd(exchange);
        }

        @Override
        public void onClose(Exchange exchange, CloseReason reason) {
            side(exchange.connection()).onClose(exchange, reason);
        }

        private Side side(Connection connection) {
            return (Side) connection.attachment();
        }
    }

    private SSLEngine engine(boolean isClient) {
        SSLEngine engine = context.createSSLEngine("localhost", 1);
        engine.setUseClientMode(isClient);
        return engine;
    }

    @Override
    void start() throws Exception {
        context = TlsLab.context(true);
        context.getServerSessionContext().setSessionCacheSize(SESSIONS); // else they would pile up
        context.getClientSessionContext().setSessionCacheSize(SESSIONS);
        echo = server(() -> new Shared(false));
        relay = server(() -> new Shared(true));
        for (int i = 0; i < CLIENTS; i++) {
            Flow flow = flow("client " + i);
            drive("client", () -> run(flow));
        }
        serve("pauses", this::pauseSome);
    }

    private StreamServer server(Supplier<ConnectionHandler> handlers) throws Exception {
        return opened(opening(() -> StreamServer.at(Workbench.loopback(0), handlers).loops(LOOPS)
                .mechanism(site.isEPoll() ? null : site.mechanism()).maxPending(MAX_PENDING).tls(context)
                .onError((place, error, peer) -> tally.expected.increment()).start()));
    }

    private void run(Flow flow) throws Exception {
        while (!isStopping()) {
            InetSocketAddress address = (InetSocketAddress) relay.address();
            try (SSLSocket client = (SSLSocket) opening(() -> context.getSocketFactory().createSocket(
                    address.getAddress(), address.getPort()))) {
                for (int i = random(20); i >= 0; i--) {
                    exchange(client);
                    flow.beat();
                }
                if (oneIn(4)) {
                    client.setSoLinger(true, 0);
                } else {
                    client.shutdownOutput();
                    require(client.getInputStream().read() < 0, "more than was sent");
                }
            } catch (IOException e) {
                tally.expected.increment();
                Thread.sleep(1);
            }
        }
        end(flow);
    }

    private void exchange(SSLSocket client) throws IOException {
        byte[] sent = new byte[1 + random(MAX_LENGTH)];
        ThreadLocalRandom.current().nextBytes(sent);
        client.getOutputStream().write(sent);
        tally.sent.add(sent.length);
        byte[] returned = client.getInputStream().readNBytes(sent.length);
        if (returned.length < sent.length) {
            throw new IOException("cut");
        }
        require(Arrays.equals(sent, returned), "other bytes than were sent");
        tally.returned.add(sent.length);
        tally.exchanges.increment();
    }

    private static void require(boolean holds, String what) {
        if (!holds) {
            throw new IllegalStateException(what);
        }
    }

    /** Also one that waits for the other side is resumed: it is paused again. */
    private void pauseSome() throws Exception {
        while (!isClosing()) {
            for (Connection connection : connections) {
                connection.pause();
                pause();
                connection.resume();
                tally.changes.increment();
            }
            Thread.sleep(1);
        }
        while (!connections.isEmpty() || began.get() != ended.get()) {
            Thread.sleep(1); // a stall if one never ends
        }
    }
}
