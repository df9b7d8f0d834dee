// SPDX-License-Identifier: Apache-2.0
package dev.pollux.interrupt;

import dev.pollux.internal.interrupt.ServerSettings;
import dev.pollux.internal.startup.Startup;
import dev.pollux.interrupt.InterruptErrorHandler.Place;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/**
 * How an {@link InterruptServer} is to be.
 *
 * <p>For one thread.
 */
public final class InterruptServerBuilder {
    /** System property: the mechanism of servers for which none is named. */
    private static final String PROPERTY = "dev.pollux.interrupt.mechanism";

    /** What is longer comes to no number of nanoseconds. */
    private static final Duration LONGEST = Duration.ofNanos(Long.MAX_VALUE);

    private final ServerSettings how = new ServerSettings();
    private final Supplier<? extends Interruptlet> handlers;

    InterruptServerBuilder(SocketAddress address, Supplier<? extends Interruptlet> handlers) {
        how.address = Objects.requireNonNull(address);
        how.mechanism = System.getProperty(PROPERTY);
        how.slowPath = InterruptServerBuilder::refuse;
        onError(InterruptServerBuilder::log);
        this.handlers = Objects.requireNonNull(handlers);
    }

    /**
     * Number of event-loop threads; default 1. The system spreads the connections over them (SO_REUSEPORT), or they
     * take turns.
     *
     * @param count how many
     * @return this
     */
    public InterruptServerBuilder loops(int count) {
        how.loops = positive("loops", count);
        return this;
    }

    /**
     * Maximum number of connections of each loop; default 1024. Others wait until they are accepted.
     *
     * @param count how many
     * @return this
     */
    public InterruptServerBuilder maxConnections(int count) {
        how.maxConnections = positive("maxConnections", count);
        return this;
    }

    /**
     * Maximum number of bytes of an incomplete request; default 65536. A longer one has its connection closed.
     *
     * @param bytes how many
     * @return this
     */
    public InterruptServerBuilder maxRequest(int bytes) {
        how.maxRequest = positive("maxRequest", bytes);
        return this;
    }

    /**
     * Maximum number of unsent bytes of a connection; default 1 MiB. While there are as many, no further request of it
     * is handled; so it has less than that and one reply, however large that is. It is closed only if its other side
     * reads nothing for the {@link #idleTimeout}.
     *
     * @param bytes how many
     * @return this
     */
    public InterruptServerBuilder maxPending(int bytes) {
        how.maxPending = positive("maxPending", bytes);
        return this;
    }

    /**
     * Maximum number of connections that wait to be accepted; default 1024. The system may have a lower limit of its
     * own.
     *
     * @param count how many
     * @return this
     */
    public InterruptServerBuilder backlog(int count) {
        how.backlog = positive("backlog", count);
        return this;
    }

    /**
     * A connection that does not complete a request for so long, and owes no deferred reply, is closed; none is unless
     * said. While replies wait to be sent, it is one whose other side takes nothing of them for so long, as far as the
     * system tells: it is reset then, and the error handler told. Looked at eight times in that time, so it may take a
     * quarter longer.
     *
     * @param time how long, a shorter one than 8 ms is taken for 8 ms; zero, or 292 years and more: for ever
     * @return this
     */
    public InterruptServerBuilder idleTimeout(Duration time) {
        if (time.isNegative()) {
            throw new IllegalArgumentException("idleTimeout is negative: " + time);
        }
        how.idleNanos = time.compareTo(LONGEST) < 0 ? time.toNanos() : 0;
        return this;
    }

    /**
     * A mechanism instead of the best that works here, or of the one that the system property {@code
     * dev.pollux.interrupt.mechanism} names.
     *
     * @param name "io_uring", "epoll" or another one; null: the best
     * @return this
     */
    public InterruptServerBuilder mechanism(String name) {
        how.mechanism = name;
        return this;
    }

    /**
     * Who goes on with a connection for which a handler returned null. Unless said, it is closed without a reply,
     * counted as one of the slow path, and the error handler told.
     *
     * @param path    who
     * @param threads where; on JDK 21 and later {@code Executors.newVirtualThreadPerTaskExecutor()} will do
     * @return this
     */
    public InterruptServerBuilder slowPath(SlowPath path, Executor threads) {
        how.slowPath = Objects.requireNonNull(path)::handle;
        how.executor = Objects.requireNonNull(threads);
        return this;
    }

    /**
     * Who is told what goes wrong. Unless said, the {@link System.Logger} "dev.pollux" is: of failures of single
     * connections at DEBUG, of a loop's at ERROR, of the rest at WARNING.
     *
     * @param handler who
     * @return this
     */
    public InterruptServerBuilder onError(InterruptErrorHandler handler) {
        Objects.requireNonNull(handler);
        how.onTrouble = (where, error, peer) -> handler.handle(Place.valueOf(where.name()), error, peer);
        return this;
    }

    private static void refuse(SocketChannel channel, ByteBuffer unread) throws IOException {
        throw new IOException("a handler returned null, but the builder was given no slowPath: "
                + "the connection is closed");
    }

    private static void log(Place place, Throwable error, SocketAddress peer) {
        Level level = switch (place) {
            case CONNECTION -> Level.DEBUG;
            case LOOP -> Level.ERROR;
            default -> Level.WARNING;
        };
        System.getLogger("dev.pollux").log(level, "InterruptServer, " + place
                + (peer == null ? "" : ", connection from " + peer), error);
    }

    /**
     * Opens the server.
     *
     * @return the server, which runs
     * @throws IOException if it can't listen at the address, there is no such mechanism, Pollux can't work here, or a
     *     limit of descriptors or memory is reached; the message says what to do
     */
    public InterruptServer start() throws IOException {
        Startup.outcome().require(null);
        return new InterruptServer(how, handlers);
    }

    private static int positive(String name, int number) {
        if (number < 1) {
            throw new IllegalArgumentException(name + " is not positive: " + number);
        }
        return number;
    }
}
