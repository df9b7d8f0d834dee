// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.servers;

import dev.pollux.micro.harness.VirtualThreads;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.util.function.Consumer;

/**
 * One thread for each connection, which blocks in reading. Sun's SimpleServer, to which its PollingServer was compared,
 * served this way too. Immutable.
 */
final class SimpleServer implements Server {
    private final Sizes sizes;
    private final Consumer<Runnable> starter;
    private final String engine;

    private SimpleServer(Sizes sizes, Consumer<Runnable> starter, String engine) {
        this.sizes = sizes;
        this.starter = starter;
        this.engine = engine;
    }

    static Server platform(Sizes sizes) {
        return new SimpleServer(sizes, work -> new Thread(work).start(), "Thread");
    }

    static Server virtual(Sizes sizes) {
        return new SimpleServer(sizes, VirtualThreads::start, "VirtualThread");
    }

    @Override
    public void serve(ServerSocketChannel listener) throws IOException {
        while (true) {
            Connection connection = new Connection(listener.accept(), sizes);
            starter.accept(() -> converse(connection, sizes.buffer()));
        }
    }

    private static void converse(Connection connection, ByteBuffer buffer) {
        try (connection) {
            while (connection.serve(buffer)) {
                // The next one.
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public String engine() {
        return engine;
    }
}
