// SPDX-License-Identifier: Apache-2.0
package dev.pollux.compatibility.framework;

import dev.pollux.compatibility.HttpServer;
import dev.pollux.compatibility.Trial;
import io.undertow.Undertow;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

/** Undertow, whose handler answers in the threads that select. */
public final class Main implements HttpServer {
    private Undertow server;

    public static void main(String[] arguments) {
        Trial.run(new Main());
    }

    @Override
    public void start() {
        server = Undertow.builder().addHttpListener(0, "127.0.0.1").setHandler(exchange -> exchange.getRequestReceiver()
                .receiveFullBytes((read, body) -> read.getResponseSender().send(ByteBuffer.wrap(body)))).build();
        server.start();
    }

    @Override
    public int port() {
        return ((InetSocketAddress) server.getListenerInfo().get(0).getAddress()).getPort();
    }

    @Override
    public void stop() {
        server.stop();
    }
}
