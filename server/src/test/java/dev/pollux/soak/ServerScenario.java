// SPDX-License-Identifier: Apache-2.0
package dev.pollux.soak;

import dev.pollux.lab.Workbench;
import dev.pollux.server.ConnectionHandler;
import dev.pollux.server.Exchange;
import dev.pollux.server.ServerErrorHandler.Place;
import dev.pollux.server.StreamServer;
import dev.pollux.server.StreamServerBuilder;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;

/**
 * A StreamServer, some of whose connections fail, and ten that do not notice: each of their bytes comes back. On
 * io_uring where the soak is on epoll.
 */
abstract class ServerScenario extends Scenario {
    protected static final int HEALTHY = 10;
    protected static final int MAX_LENGTH = 1 << 15;

    /** What has ended a loop that should not end; null if nothing has. */
    private volatile Throwable loopFailure;

    protected ServerScenario(Site site) {
        super(site);
    }

    protected final StreamServerBuilder server(Supplier<ConnectionHandler> handlers) {
        return StreamServer.at(Workbench.loopback(0), handlers).mechanism(site.isEPoll() ? null : site.mechanism())
                .onError((place, error, peer) -> {
                    if (place == Place.LOOP) {
                        loopFailure = error;
                    }
                    tally.expected.increment();
                });
    }

    protected static void echo(ByteBuffer data, Exchange exchange) {
        exchange.send(data.duplicate());
        data.position(data.limit());
    }

    protected final Socket connect(StreamServer server) throws Exception {
        InetSocketAddress address = (InetSocketAddress) server.address();
        return opening(() -> {
            Socket socket = new Socket(address.getAddress(), address.getPort());
            socket.setTcpNoDelay(true);
            return socket;
        });
    }

    /** Sends something without a letter, and wants it back. */
    protected final void exchange(Socket socket) throws IOException {
        exchange(socket, 1 + random(oneIn(8) ? MAX_LENGTH : 200));
    }

    protected final void exchange(Socket socket, int length) throws IOException {
        byte[] sent = new byte[length];
        ThreadLocalRandom.current().nextBytes(sent);
        for (int i = 0; i < sent.length; i++) {
            sent[i] |= Byte.MIN_VALUE; // any of them may come first
        }
        socket.getOutputStream().write(sent);
        byte[] returned = socket.getInputStream().readNBytes(sent.length);
        if (!Arrays.equals(sent, returned)) {
            throw new IllegalStateException(sent.length + " bytes were sent, and other " + returned.length + " came");
        }
        tally.sent.add(sent.length);
        tally.returned.add(returned.length);
        tally.exchanges.increment();
    }

    /** What a healthy connection does until the scenario ends. */
    protected final void exchangeUntilTheEnd(Socket socket, Flow flow) throws Exception {
        while (!isStopping()) {
            exchange(socket);
            if (loopFailure != null) {
                throw new IllegalStateException("a loop has ended", loopFailure);
            }
            flow.beat();
            pause();
        }
        end(flow);
    }
}
