// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import dev.pollux.internal.count.Unexpected;
import dev.pollux.internal.startup.Startup;
import dev.pollux.server.ServerErrorHandler.Place;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;

/** Configures a {@link StreamServer}. For one thread. */
public final class StreamServerBuilder {
    /** System property: the mechanism of servers for which none is named. */
    private static final String PROPERTY = "dev.pollux.server.mechanism";

    /** What a loop has of each, 560 bytes, must come to less than 2 GiB. */
    private static final int MAX_CONNECTIONS = 3_500_000;

    private final ServerSettings settings = new ServerSettings();

    StreamServerBuilder(SocketAddress address, Supplier<? extends ConnectionHandler> handlers) {
        settings.address = Objects.requireNonNull(address);
        settings.mechanism = System.getProperty(PROPERTY);
        settings.slowPath = StreamServerBuilder::refuse;
        onError(StreamServerBuilder::log);
        settings.handlers = Objects.requireNonNull(handlers);
    }

    /**
     * Number of event-loop threads; default 1. Connections are spread evenly: a loop that has accepted one although
     * another loop has fewer, and a place for it, hands it over.
     *
     * @param count how many
     * @return this
     */
    public StreamServerBuilder loops(int count) {
        settings.loops = positive("loops", count);
        return this;
    }

    /**
     * Pins the thread of each loop to a processor of its own, in turn, of those that the process may use; by default
     * the system chooses. It pays where nothing else needs these processors. Where the system can't, a warning says
     * so.
     *
     * @param pinned whether to
     * @return this
     */
    public StreamServerBuilder pinned(boolean pinned) {
        settings.isPinned = pinned;
        return this;
    }

    /**
     * Maximum number of connections of each loop; default 1024. Others wait until they are accepted.
     *
     * @param count how many: up to 3,500,000
     * @return this
     */
    public StreamServerBuilder maxConnections(int count) {
        if (count > MAX_CONNECTIONS) {
            throw new IllegalArgumentException("maxConnections may be " + MAX_CONNECTIONS + " for each loop at most: "
                    + count);
        }
        settings.maxConnections = positive("maxConnections", count);
        return this;
    }

    /**
     * Maximum number of bytes of an incomplete request; default 65536. A longer one is {@linkplain
     * ConnectionHandler#onRefused refused}, and its connection closed. The handler may get a complete one that is
     * longer, with what was received last.
     *
     * @param bytes how many
     * @return this
     */
    public StreamServerBuilder maxRequest(int bytes) {
        settings.maxRequest = positive("maxRequest", bytes);
        return this;
    }

    /**
     * Maximum number of unsent bytes of a connection; default 1 MiB. While there are as many, no further request of it
     * is handled; so it has less than that and one reply, however large that is. It is closed only if its other side
     * exceeds the {@link #timeout} of {@link Phase#WRITING}. A round may receive a mebibyte of one connection, and is
     * sent when it ends: who passes such bursts on gives several times as much, or {@link Connection#send} refuses some
     * though its other side reads.
     *
     * @param bytes how many
     * @return this
     */
    public StreamServerBuilder maxPending(int bytes) {
        settings.maxPending = positive("maxPending", bytes);
        return this;
    }

    /**
     * Maximum number of bytes of memory that all connections of the server may have together for what waits: what a
     * {@link Connection} is sent, and what TLS has of both directions. Default: half of the direct memory that the
     * virtual machine may have ({@code -XX:MaxDirectMemorySize}); servers that share one virtual machine each need a
     * part of it. No connection may have more waiting than a sixteenth, and the less, the more waits in all: an eighth
     * of that while half is left. So those whose other sides read nothing are stopped before those whose other sides
     * read. With nothing left, {@link Connection#send} refuses everything. Replies to connections without a
     * {@link Connection} count while they are copied; what waits of them afterwards is limited by {@link #maxPending}
     * alone. What the system has for sockets is not counted.
     *
     * @param bytes how many
     * @return this
     */
    public StreamServerBuilder maxWaiting(long bytes) {
        settings.maxWaiting = positive("maxWaiting", bytes);
        return this;
    }

    /**
     * Maximum number of connections that wait to be accepted; default 1024. The system may have a lower limit of its
     * own.
     *
     * @param count how many
     * @return this
     */
    public StreamServerBuilder backlog(int count) {
        settings.backlog = positive("backlog", count);
        return this;
    }

    /**
     * A time-out of all connections for a phase; by default there is none. A connection may {@linkplain
     * Exchange#setTimeout have its own}. What each phase is, and what becomes of a connection that exceeds it, says
     * {@link Phase}. All connections are looked at eight times in the shortest time-out, so a phase may take that much
     * longer.
     *
     * @param phase of what
     * @param time how long, a shorter one than 8 ms is taken for 8 ms; zero, or 292 years and more: for ever
     * @return this
     */
    public StreamServerBuilder timeout(Phase phase, Duration time) {
        settings.timeouts[phase.ordinal()] = LoopTimeouts.limit(time);
        return this;
    }

    /**
     * The same {@link #timeout} for all phases, instead of those that were named before. While a connection is
     * {@linkplain Connection#pause paused} none of them goes on.
     *
     * @param time how long, a shorter one than 8 ms is taken for 8 ms; zero, or 292 years and more: for ever
     * @return this
     */
    public StreamServerBuilder idleTimeout(Duration time) {
        long limit = LoopTimeouts.limit(time);
        Arrays.fill(settings.timeouts, limit);
        settings.timeouts[Phase.WRITING.ordinal()] = -limit;
        return this;
    }

    /**
     * An option of the socket of each connection that is accepted, set before its handler hears of it. {@link #start}
     * throws what {@link SocketChannel#setOption} throws if there is no such option here, or it can't have this value.
     * It costs some objects and system calls for each connection.
     *
     * @param <T> the type of its value
     * @param name which, say, of {@link java.net.StandardSocketOptions}
     * @param value its value
     * @return this
     */
    public <T> StreamServerBuilder option(SocketOption<T> name, T value) {
        settings.options.put(Objects.requireNonNull(name), value);
        return this;
    }

    /**
     * A mechanism instead of the best that works here, or of the one that the system property {@code
     * dev.pollux.server.mechanism} names.
     *
     * @param name "io_uring", "epoll" or another one; null: the best
     * @return this
     */
    public StreamServerBuilder mechanism(String name) {
        settings.mechanism = name;
        return this;
    }

    /**
     * Handles connections that a handler {@linkplain Exchange#handOver hands over}. By default they are closed without
     * a reply, counted as ones of the slow path, and the error handler told.
     *
     * @param path    handles them
     * @param threads runs it; on JDK 21 and later {@code Executors.newVirtualThreadPerTaskExecutor()} will do
     * @return this
     */
    public StreamServerBuilder slowPath(SlowPath path, Executor threads) {
        settings.slowPath = Objects.requireNonNull(path);
        settings.executor = Objects.requireNonNull(threads);
        return this;
    }

    /**
     * Serves connections by TLS: handlers get what was decrypted, and what they send is encrypted. The {@link SlowPath}
     * gets a channel that does the same. Handlers hear of a connection when its handshake is finished. A client of TLS
     * 1.2 that begins another one is refused, unless the system property {@code
     * jdk.tls.rejectClientInitiatedRenegotiation} is "false".
     *
     * @param context makes an engine for each connection
     * @return this
     */
    public StreamServerBuilder tls(SSLContext context) {
        return tls(() -> {
            SSLEngine engine = context.createSSLEngine();
            engine.setUseClientMode(false);
            return engine;
        }, Runnable::run);
    }

    /**
     * The same, with engines that are configured: to ask for a certificate, or to choose an application protocol, say.
     *
     * @param engines makes one for each connection, in server mode; called by the loops' threads
     * @param threads runs what takes long in a handshake, the use of a private key mostly, so that the other
     *     connections of the loop need not wait; {@code Runnable::run}: the loop's thread does. A task that fails or
     *     is rejected ends its connection; one that is dropped leaves it to the {@link #timeout} of {@link
     *     Phase#HANDSHAKE}
     * @return this
     */
    public StreamServerBuilder tls(Supplier<SSLEngine> engines, Executor threads) {
        settings.engines = Objects.requireNonNull(engines);
        settings.tlsExecutor = Objects.requireNonNull(threads);
        return this;
    }

    /**
     * Is told what goes wrong. By default the {@link System.Logger} "dev.pollux" is: of failures of single
     * connections at DEBUG, of a loop's at ERROR, of the rest at WARNING.
     *
     * @param handler is told
     * @return this
     */
    public StreamServerBuilder onError(ServerErrorHandler handler) {
        Objects.requireNonNull(handler);
        settings.errors = (place, error, peer) -> {
            try {
                handler.handle(place, error, peer);
            } catch (Throwable e) { // also checked ones, which not all languages declare
                Unexpected.caught("the program's handler of errors", e); // there is no other one to tell
            }
        };
        return this;
    }

    private static void refuse(SocketChannel channel, ByteBuffer unread) throws IOException {
        throw new IOException("a handler hands over, but the builder was given no slowPath: "
                + "the connection is closed");
    }

    private static void log(Place place, Throwable error, SocketAddress peer) {
        Level level = switch (place) {
            case CONNECTION -> Level.DEBUG;
            case LOOP -> Level.ERROR;
            default -> Level.WARNING;
        };
        System.getLogger("dev.pollux").log(level, "StreamServer, " + place
                + (peer == null ? "" : ", connection from " + peer), error);
    }

    /**
     * Opens the server. Its threads keep the virtual machine running, unless this is called by a daemon thread.
     *
     * @return the server, which runs
     * @throws IOException if it can't listen at the address, there is no such mechanism, Pollux can't work here, or a
     *     limit of descriptors, memory or threads is reached; the message says what to do. Nothing is left then
     */
    public StreamServer start() throws IOException {
        Startup.outcome().require(null);
        return new StreamServer(settings.clone());
    }

    private static int positive(String name, int number) {
        return (int) positive(name, (long) number);
    }

    private static long positive(String name, long number) {
        if (number < 1) {
            throw new IllegalArgumentException(name + " is not positive: " + number);
        }
        return number;
    }
}
