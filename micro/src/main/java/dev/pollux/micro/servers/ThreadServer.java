// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.servers;

import dev.pollux.micro.apps.server.Application;
import dev.pollux.micro.harness.VirtualThreads;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.function.Consumer;

/** A thread for each connection, which blocks in reading. Sun's SimpleServer served this way too. */
final class ThreadServer extends ChannelServer {
    private final Consumer<Runnable> starter;
    private final String engine;

    private ThreadServer(Protocol protocol, Consumer<Runnable> starter, String engine) {
        super(protocol);
        this.starter = starter;
        this.engine = engine;
    }

    static Application platform(Protocol protocol) {
        return new ThreadServer(protocol, work -> new Thread(work).start(), "Thread");
    }

    static Application virtual(Protocol protocol) {
        return new ThreadServer(protocol, VirtualThreads::start, "VirtualThread");
    }

    @Override
    void serve() throws IOException {
        while (true) {
            Exchange exchange = new Exchange(listener.accept());
            starter.accept(() -> converse(exchange));
        }
    }

    private void converse(Exchange exchange) {
        ByteBuffer in = ByteBuffer.allocateDirect(Protocol.BUFFER / 16);
        ByteBuffer page = protocol.page();
        try (exchange) {
            while (exchange.serve(protocol, in, page)) {
                // The next one.
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public String version() {
        return engine;
    }
}
