// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.servers;

import dev.pollux.micro.apps.server.Application;
import dev.pollux.micro.harness.Tls;
import dev.pollux.server.ConnectionHandler;
import dev.pollux.server.StreamServer;
import dev.pollux.server.StreamServerBuilder;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import javax.net.ssl.SSLContext;

/** A ConnectionHandler, on StreamServer. */
final class InterruptletServer implements Application {
    private static final int MAX_CONNECTIONS = 10_000;

    private final Starter starter;

    /** Complete once it can answer. */
    private final CompletableFuture<StreamServer> server = new CompletableFuture<>();

    /** Argument: makes the server. */
    InterruptletServer(Starter starter) {
        this.starter = starter;
    }

    /** Makes a server that listens at an address. */
    interface Starter {
        StreamServer at(InetSocketAddress address) throws IOException;
    }

    /** One that answers every request, with a page that is resident. */
    static Application answeringAll(Protocol protocol, String mechanism) {
        return new InterruptletServer(address -> {
            AtomicReference<ByteBuffer> page = new AtomicReference<>();
            ConnectionHandler echo = (data, exchange) -> {
                exchange.send(data);
                data.position(data.limit());
            };
            ConnectionHandler http = (data, exchange) -> {
                int end = Protocol.endOfRequest(data);
                if (end >= 0) {
                    exchange.send(page.get());
                    data.position(end);
                }
            };
            StreamServerBuilder builder = StreamServer.at(address, () -> protocol == Protocol.ECHO ? echo : http)
                    .loops(Way.LOOPS).maxConnections(MAX_CONNECTIONS).mechanism(mechanism);
            SSLContext tls = Tls.context();
            StreamServer made = (tls == null ? builder : builder.tls(tls)).start();
            page.set(made.resident(protocol.page()));
            return made;
        });
    }

    @Override
    public void start(int port) throws IOException {
        server.complete(starter.at(new InetSocketAddress(InetAddress.getLoopbackAddress(), port)));
    }

    @Override
    public String version() {
        return server.join().mechanism();
    }
}
