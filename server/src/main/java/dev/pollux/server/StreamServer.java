// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import java.io.IOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.NotYetConnectedException;
import java.nio.channels.SocketChannel;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import javax.net.ssl.SSLEngine;

/**
 * A server whose requests a {@link ConnectionHandler} handles where they arrive. Each of its loops is a thread, with a
 * ring of io_uring where Linux has it, else a mechanism as selectors have it. A loop takes in what all its connections
 * have sent, has the handler answer, and sends all the replies, by one system call on io_uring. What the
 * handler does not want goes to a {@link SlowPath}. All loops of a server run on the same mechanism.
 *
 * <pre>{@code
 * // Answers each line with the time; "quit" ends the connection.
 * final class TimeServer implements ConnectionHandler {
 *     private final ByteBuffer reply = ByteBuffer.allocateDirect(64);
 *
 *     static StreamServer start(SocketAddress address) throws IOException {
 *         return StreamServer.at(address, TimeServer::new)             // a handler for each loop
 *                 .loops(Runtime.getRuntime().availableProcessors())
 *                 .maxRequest(1000)
 *                 .idleTimeout(Duration.ofMinutes(1))
 *                 .start();
 *     }
 *
 *     public void onData(ByteBuffer data, Exchange exchange) {
 *         int length = lineLength(data);
 *         if (length < 0) {
 *             exchange.awaitMore();                                    // comes again with what follows
 *             return;
 *         }
 *         reply.clear().put(Instant.now().toString().getBytes(StandardCharsets.US_ASCII)).put((byte) '\n');
 *         exchange.send(reply.flip());                                 // is copied
 *         if (data.get(0) == 'q') {
 *             exchange.close();                                        // when the reply was sent
 *         }
 *         data.position(length);                                       // this request is consumed
 *     }
 *
 *     private static int lineLength(ByteBuffer data) {
 *         for (int i = 0; i < data.limit(); i++) {
 *             if (data.get(i) == '\n') {
 *                 return i + 1;
 *             }
 *         }
 *         return -1;
 *     }
 * }
 * }</pre>
 *
 * <p><b>Threads.</b> Handlers run on their loop's thread, so there is nothing to lock between the connections of a
 * loop. While a handler runs, all other connections of its loop wait: it must not block. What takes time is {@linkplain
 * Exchange#defer() deferred} to another thread, or goes to the slow path with its connection. All methods of the server
 * are for any thread.
 *
 * <p><b>Back-pressure.</b> While the other side does not read its replies, no more of its requests are handled, and
 * soon none are received; for a connection with a {@linkplain Exchange#connection() handle}, when {@code maxPending}
 * bytes are pending. Requests behind a deferred reply wait for it.
 *
 * <p><b>Limits.</b> {@code maxConnections} of each loop: others wait to be accepted; {@code maxRequest} bytes of a
 * request that is not complete; {@code maxPending} bytes that were not sent yet: with them, no more requests are
 * handled; a {@link Phase time-out} for each thing that the other side may keep the server waiting for. A connection
 * that exceeds {@code maxRequest} or a time-out is closed, and {@linkplain #statistics() counted}. If replies are cut
 * off, by that or by a close of the server, the connection is reset and the error handler told: what arrived never
 * looks complete, except in the Unix domain, which has no resets.
 *
 * <p><b>Allocation.</b> None for a request that is answered at once, unless none of its length has come before, or it
 * has 4 KiB or more and lengths vary. No object stands for a connection, unless its handler asks for its handle, or it
 * has TLS: in the Java heap each one that may be takes 10 bytes, and 24 more with a time-out. A deferred reply, the
 * slow path, a handle, TLS, {@link #connect} and {@link #adopt} allocate.
 *
 * <p>io_uring needs Linux 6.1, and a system that permits it; {@link #toString} tells what runs, and why it is not
 * io_uring.
 */
public final class StreamServer implements AutoCloseable {
    private final ServerLoops loops;

    /**
     * A server to be.
     *
     * @param address  an InetSocketAddress or UnixDomainSocketAddress to listen at
     * @param handlers makes a handler for each loop
     * @return its builder
     */
    public static StreamServerBuilder at(SocketAddress address, Supplier<? extends ConnectionHandler> handlers) {
        return new StreamServerBuilder(address, handlers);
    }

    /** Opens and starts a server, which has these settings for itself. */
    StreamServer(ServerSettings settings) throws IOException {
        settings.server = this;
        loops = new ServerLoops(settings);
        loops.start(loop -> new Thread(null, loop, "", 0, false));
    }

    /** {@return the address that it listens at; the port is that which the system has chosen} */
    public SocketAddress address() {
        return loops.address();
    }

    /** {@return the mechanism that runs: "io_uring", "epoll", ...} */
    public String mechanism() {
        return loops.mechanism();
    }

    /**
     * Copies bytes to where they stay until they are {@linkplain #release released}, and are sent from without being
     * copied again. A handler finds the server by {@link Exchange#server}.
     *
     * @param bytes the remaining bytes are copied; the buffer stays as it is
     * @return a read-only buffer to be returned by handlers of this server, again and again
     */
    public ByteBuffer resident(ByteBuffer bytes) {
        return loops.resident(bytes);
    }

    /**
     * Gives the memory of resident bytes back. A call of a handler that has begun may still return them; no later call,
     * and no deferred reply. The memory has other bytes when none of these are on their way to a peer: about a
     * mebibyte of it is collected before that is asked for.
     *
     * @param bytes what {@link #resident} has returned, or a duplicate of it
     * @throws IllegalArgumentException if they are not resident here, or were released before. Do not count on the
     *     latter: once their memory has other bytes, releasing them again would release those
     */
    public void release(ByteBuffer bytes) {
        loops.release(bytes);
    }

    /**
     * Gives a connection to the fast path, as if it had been accepted. It is the server's when this returns, and the
     * channel is closed soon; if the server is closed, or has as many connections as it may have, the connection is
     * closed and the error handler told.
     *
     * @param channel a connected channel that is registered with no selector
     * @param unread  what was read from it and is to be handled; its remaining bytes are copied
     * @throws NotYetConnectedException if the channel is not connected
     * @throws java.nio.channels.IllegalBlockingModeException if it is registered with a selector
     * @throws IOException if it is closed
     */
    public void adopt(SocketChannel channel, ByteBuffer unread) throws IOException {
        loops.adopt(channel, unread);
    }

    /**
     * Connects to another server. The connection is served by a loop of this one: that of the calling thread if it is
     * one's, so that the handler may be the same, else the one with the fewest connections. It returns at once; what is
     * sent before it is connected goes out then. It counts as one of {@link StreamServerBuilder#maxConnections}. How
     * long connecting may take is the system's affair, unless {@link Phase#HANDSHAKE} has a time-out.
     *
     * @param remote  an address of the Internet Protocol, or of the Unix domain
     * @param handler handles this connection alone, on its loop's thread; a connection that fails has {@link
     *     ConnectionHandler#onClose} with {@link CloseReason#FAILED} as its only call; the error handler is told why
     * @return the connection
     * @throws IOException if it has failed at once, there are no more descriptors, say
     * @throws java.nio.channels.UnresolvedAddressException if the address has no host
     */
    public Connection connect(SocketAddress remote, ConnectionHandler handler) throws IOException {
        return connect(remote, handler, null);
    }

    /**
     * As {@link #connect(SocketAddress, ConnectionHandler)}, by TLS. The handler hears of the connection when the
     * handshake is finished.
     *
     * @param remote  an address of the Internet Protocol, or of the Unix domain
     * @param handler handles this connection alone
     * @param engine  in client mode, and not used before; null: without TLS
     * @return the connection
     * @throws IOException if it has failed at once, or the engine can't begin a handshake
     */
    public Connection connect(SocketAddress remote, ConnectionHandler handler, SSLEngine engine) throws IOException {
        return loops.connect(remote, Objects.requireNonNull(handler, "handler"), engine);
    }

    /** {@return what was counted since the start} */
    public ServerStatistics statistics() {
        return loops.statistics();
    }

    /**
     * Closes the server gracefully: it accepts no more, tells handlers by {@link ConnectionHandler#onShutdown}, sends
     * what is to be sent, deferred replies included, and ends when all connections have; unless handlers want it
     * otherwise, these handle no more requests. What is left at the deadline is closed at once. Returns when all has
     * ended, but at once in a handler. What the slow path has is not this server's. The file of an address of the Unix
     * domain is deleted.
     *
     * @param time how long that may take
     * @param unit of what
     * @throws InterruptedException if the thread was interrupted while it waited for that; the server ends all the same
     */
    public void close(long time, TimeUnit unit) throws InterruptedException {
        loops.close(time, unit);
    }

    /** Closes everything at once. If the thread is interrupted, it is not waited for. */
    @Override
    public void close() {
        loops.closeNow();
    }

    /**
     * {@return whether it has not ended: by {@link #close()}, or because all its loops have failed} As long as one runs
     * it is open: {@link ServerStatistics#loops} tells how many do.
     */
    public boolean isOpen() {
        return loops.isOpen();
    }

    /** Tells the address and what it runs on, and where that is not io_uring, why. */
    @Override
    public String toString() {
        return loops.toString();
    }
}
