// SPDX-License-Identifier: Apache-2.0
package dev.pollux;

import dev.pollux.internal.startup.Startup;
import java.io.IOException;
import java.net.SocketAddress;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * How an {@link InterruptServer} is to be.
 *
 * <p>For one thread.
 */
public final class InterruptServerBuilder {
    final SocketAddress address;
    final Supplier<Interruptlet> handlers;
    int loops = 1;
    int maxConnections = 1024;
    int maxRequest;
    int maxPending;
    int backlog = 1024;
    String mechanism;
    Executor executor = Runnable::run;
    SlowPath slowPath = (channel, unread) -> channel.close();
    Consumer<Throwable> onError = e -> { };

    InterruptServerBuilder(SocketAddress address, Supplier<Interruptlet> handlers) {
        this.address = Objects.requireNonNull(address);
        this.handlers = Objects.requireNonNull(handlers);
    }

    /**
     * So many threads; 1 unless said. More than one need SO_REUSEPORT.
     *
     * @param count how many
     * @return this
     */
    public InterruptServerBuilder loops(int count) {
        loops = positive(count);
        return this;
    }

    /**
     * So many connections for each loop; 1024 unless said. Others wait until they are accepted.
     *
     * @param count how many
     * @return this
     */
    public InterruptServerBuilder maxConnections(int count) {
        maxConnections = positive(count);
        return this;
    }

    /**
     * So many bytes of a request that is not complete; 65536 unless said. A longer one has its connection closed.
     *
     * @param bytes how many
     * @return this
     */
    public InterruptServerBuilder maxRequest(int bytes) {
        maxRequest = positive(bytes);
        return this;
    }

    /**
     * So many unsent bytes of a connection, 1 MiB unless said; with more it is closed.
     *
     * @param bytes how many
     * @return this
     */
    public InterruptServerBuilder maxPending(int bytes) {
        maxPending = positive(bytes);
        return this;
    }

    /**
     * A mechanism instead of the best that works here.
     *
     * @param name "io_uring", "epoll" or another one
     * @return this
     */
    public InterruptServerBuilder mechanism(String name) {
        mechanism = name;
        return this;
    }

    /**
     * Who goes on with a connection for which a handler returned null; it is closed unless said.
     *
     * @param path    who
     * @param threads where
     * @return this
     */
    public InterruptServerBuilder slowPath(SlowPath path, Executor threads) {
        slowPath = Objects.requireNonNull(path);
        executor = Objects.requireNonNull(threads);
        return this;
    }

    /**
     * Who is told of what handlers and the slow path throw, and of what keeps the server from accepting.
     *
     * @param listener who
     * @return this
     */
    public InterruptServerBuilder onError(Consumer<Throwable> listener) {
        onError = Objects.requireNonNull(listener);
        return this;
    }

    /**
     * Opens the server.
     *
     * @return the server, which runs
     * @throws IOException if it can't listen at the address, or Pollux can't start here
     */
    public InterruptServer start() throws IOException {
        Startup.outcome().require(null);
        return new InterruptServer(this);
    }

    private static int positive(int number) {
        if (number < 1) {
            throw new IllegalArgumentException("not positive: " + number);
        }
        return number;
    }
}
