// SPDX-License-Identifier: Apache-2.0
package dev.pollux.soak;

import dev.pollux.internal.tls.TlsLab;
import dev.pollux.server.FailingEngine;
import dev.pollux.server.StreamServer;
import java.io.IOException;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSocket;

/** Engines of TLS that throw what they may not, at any of their calls. The ten healthy ones have come before. */
final class FailingEngines extends ServerScenario {
    private static final int FAULTY = 3;
    private static final int LOOPS = 2;
    private static final int SESSIONS = 50;

    /** Most connections have fewer calls. */
    private static final int MAX_CALLS = 60;

    private static final List<Throwable> THROWN = List.of(new IllegalStateException("on purpose"),
            new IOException("on purpose, and not declared"), new OutOfMemoryError("on purpose"),
            new StackOverflowError("on purpose"), new AssertionError("on purpose"));

    private final CountDownLatch healthy = new CountDownLatch(HEALTHY);
    private SSLContext context;
    private StreamServer server;

    FailingEngines(Site site) {
        super(site);
    }

    private SSLEngine engine() {
        SSLEngine engine = context.createSSLEngine();
        engine.setUseClientMode(false);
        return healthy.getCount() > 0 ? engine
                : new FailingEngine(engine, 1 + random(MAX_CALLS), THROWN.get(random(THROWN.size())));
    }

    @Override
    void start() throws Exception {
        context = TlsLab.context(true);
        context.getServerSessionContext().setSessionCacheSize(SESSIONS); // else they would pile up
        context.getClientSessionContext().setSessionCacheSize(SESSIONS);
        server = opened(opening(() -> server(() -> ServerScenario::echo).loops(LOOPS)
                .tls(this::engine, Runnable::run).start()));
        for (int i = 0; i < HEALTHY; i++) {
            Flow flow = flow("healthy " + i);
            drive("healthy " + i, () -> runHealthy(flow));
        }
        for (int i = 0; i < FAULTY; i++) {
            Flow flow = flow("faulty " + i);
            drive("faulty " + i, () -> runFaulty(flow));
        }
    }

    private SSLSocket secured(Socket tcp) throws IOException {
        return (SSLSocket) context.getSocketFactory().createSocket(tcp, "localhost", tcp.getPort(), true);
    }

    private void runHealthy(Flow flow) throws Exception {
        try (Socket tcp = connect(server); SSLSocket client = secured(tcp)) {
            exchange(client);
            healthy.countDown();
            exchangeUntilTheEnd(client, flow);
        }
    }

    /** Its server's engine fails at any time, or not before it is closed. */
    private void runFaulty(Flow flow) throws Exception {
        healthy.await();
        while (!isStopping()) {
            try (Socket tcp = connect(server)) {
                SSLSocket client = secured(tcp);
                for (int i = random(10); i >= 0; i--) {
                    client.getOutputStream().write(i);
                    if (client.getInputStream().read() < 0) {
                        break;
                    }
                }
                if (oneIn(2)) {
                    client.close();
                }
                tally.events.increment();
            } catch (IOException e) {
                tally.expected.increment();
            }
            flow.beat();
            pause();
        }
        end(flow);
    }
}
