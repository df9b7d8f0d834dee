// SPDX-License-Identifier: Apache-2.0
package dev.pollux;

import dev.pollux.InterruptErrorHandler.Place;
import dev.pollux.internal.arena.Arena;
import dev.pollux.internal.insight.Loops;
import dev.pollux.internal.jdk.ConnectedChannels;
import dev.pollux.internal.jdk.DirectMemory;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.NotYetConnectedException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * A server whose requests an {@link Interruptlet} handles where they arrive. Each of its loops is a thread, with a ring
 * of io_uring where Linux has it, else a mechanism as selectors have it. A loop takes in what all its connections have
 * sent, has the handler answer, and sends the replies of the whole batch, by one system call on io_uring. What the
 * handler does not want goes to a {@link SlowPath}. All loops of a server run on the same mechanism.
 *
 * <pre>{@code
 * // Answers each line with the time; "quit" ends the connection.
 * final class TimeServer implements Interruptlet {
 *     private final ByteBuffer reply = ByteBuffer.allocateDirect(64);
 *
 *     static InterruptServer start(SocketAddress address) throws IOException {
 *         return InterruptServer.at(address, TimeServer::new)          // a handler for each loop
 *                 .loops(Runtime.getRuntime().availableProcessors())
 *                 .maxRequest(1000)
 *                 .idleTimeout(Duration.ofMinutes(1))
 *                 .start();
 *     }
 *
 *     public ByteBuffer handleInterrupt(ByteBuffer data, Isocket from) {
 *         int length = lineLength(data);
 *         if (length < 0) {
 *             return MORE;                                             // comes again with what follows
 *         }
 *         byte first = data.get(data.position());
 *         data.position(data.position() + length);                     // this request is consumed
 *         if (first == 'q') {
 *             from.close();                                            // when the reply was sent
 *         }
 *         reply.clear().put(Instant.now().toString().getBytes(StandardCharsets.US_ASCII)).put((byte) '\n');
 *         return reply.flip();                                         // is copied
 *     }
 *
 *     private static int lineLength(ByteBuffer data) {
 *         for (int i = data.position(); i < data.limit(); i++) {
 *             if (data.get(i) == '\n') {
 *                 return i + 1 - data.position();
 *             }
 *         }
 *         return -1;
 *     }
 * }
 * }</pre>
 *
 * <p><b>Threads.</b> Handlers run on their loop's thread, so there is nothing to lock between the connections of a
 * loop. While a handler runs, all other connections of its loop wait: it must not block. What takes time is {@linkplain
 * Isocket#defer() deferred} to another thread, or goes to the slow path with its connection. All methods of the server
 * are for any thread.
 *
 * <p><b>Back-pressure.</b> While the other side does not read its replies, no more of its requests are handled, and
 * soon none are received. Requests behind a deferred reply wait for it.
 *
 * <p><b>Limits.</b> {@code maxConnections} of each loop: others wait to be accepted; {@code maxRequest} bytes of a
 * request that is not complete; {@code maxPending} bytes that were not sent yet: with them, no more requests are
 * handled; {@code idleTimeout} to complete a request, or to read some of the replies. A connection that exceeds
 * {@code maxRequest} or {@code idleTimeout} is closed, and {@linkplain #statistics() counted}. If replies are cut off,
 * by that or by a close of the server, the connection is reset and the error handler told: what arrived never looks
 * complete, except in the Unix domain, which has no resets.
 *
 * <p><b>Allocation.</b> None for a request that is answered at once, unless none of its length has come before, or it
 * has 4 KiB or more and lengths vary. No object stands for a connection: in the Java heap each one that may be takes 17
 * bytes. A deferred reply, the slow path and {@link #adopt} allocate.
 *
 * <p>TLS is not for the fast path: the bytes are the handler's as they came. io_uring needs Linux 6.1, and a system
 * that permits it; {@link #toString} tells what runs, and why it is not io_uring.
 */
public final class InterruptServer implements AutoCloseable {
    // Over 250 lines: a third of it is the Javadoc that users learn from.

    private static final AtomicInteger NUMBERS = new AtomicInteger();

    private final InterruptServerBuilder how;
    private final SocketAddress address;
    private final ConnectedChannels channels = new ConnectedChannels();
    private final LoopArenas arenas;
    private final ResidentMemory resident;
    private final List<InterruptLoop> loops = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();
    private final AtomicInteger nextLoop = new AtomicInteger();
    private final CountDownLatch running;

    /**
     * A server to be.
     *
     * @param address  an InetSocketAddress or UnixDomainSocketAddress to listen at
     * @param handlers makes a handler for each loop
     * @return how the server is to be
     */
    public static InterruptServerBuilder at(SocketAddress address, Supplier<? extends Interruptlet> handlers) {
        return new InterruptServerBuilder(address, handlers);
    }

    InterruptServer(InterruptServerBuilder how) throws IOException {
        this.how = how;
        DirectMemory.find();
        arenas = new LoopArenas(how);
        resident = new ResidentMemory(how.loops);
        running = new CountDownLatch(how.loops);
        boolean complete = false;
        try {
            address = open();
            complete = true;
        } finally {
            if (!complete) {
                arenas.close();
            }
        }
        int number = NUMBERS.incrementAndGet();
        for (int i = 0; i < how.loops; i++) {
            Loops.add(loops.get(i)); // here, since JFR tells whose call has opened it
            threads.add(new Thread(null, loops.get(i), "pollux-interrupt-" + number + '-' + i, 0, false));
        }
        threads.forEach(Thread::start);
    }

    /** Opens loops that share the connections: by a listening socket each, or else of one. */
    private SocketAddress open() throws IOException {
        for (Arena arena : arenas.open(how.loops)) {
            loops.add(new InterruptLoop(this, arena, how, Objects.requireNonNull(how.handlers.get(), "handler")));
        }
        try (ServerSocketChannel first = listener(how.address)) {
            loops.get(0).listen(first);
            for (InterruptLoop each : loops.subList(1, loops.size())) {
                try (ServerSocketChannel own = canShare(first) ? listener(first.getLocalAddress()) : null) {
                    each.listen(own != null ? own : first);
                }
            }
            return first.getLocalAddress();
        }
    }

    private ServerSocketChannel listener(SocketAddress where) throws IOException {
        ServerSocketChannel listener = where instanceof UnixDomainSocketAddress
                ? ServerSocketChannel.open(StandardProtocolFamily.UNIX) : ServerSocketChannel.open();
        boolean complete = false;
        try {
            if (how.loops > 1 && canShare(listener)) {
                listener.setOption(StandardSocketOptions.SO_REUSEPORT, true);
            }
            listener.bind(where, how.backlog);
            complete = true;
            return listener;
        } catch (SocketException e) {
            throw atAddress(where, e);
        } finally {
            if (!complete) {
                listener.close();
            }
        }
    }

    /** The same exception, but it says which address. */
    private static SocketException atAddress(SocketAddress where, SocketException e) {
        String message = "Listening at " + where + ": " + e.getMessage();
        SocketException told = e instanceof BindException ? new BindException(message) : new SocketException(message);
        told.initCause(e);
        return told;
    }

    private static boolean canShare(ServerSocketChannel listener) {
        return listener.supportedOptions().contains(StandardSocketOptions.SO_REUSEPORT);
    }

    /** {@return the address that it listens at; the port is that which the system has chosen} */
    public SocketAddress address() {
        return address;
    }

    /** {@return the mechanism that runs: "io_uring", "epoll", ...} */
    public String mechanism() {
        return loops.get(0).arena().name();
    }

    /**
     * Copies bytes to where they stay until they are {@linkplain #release released}, and are sent from without being
     * copied again. A handler finds the server by {@link Isocket#server}.
     *
     * @param bytes the remaining bytes are copied; the buffer stays as it is
     * @return a read-only buffer to be returned by handlers of this server, again and again
     */
    public ByteBuffer resident(ByteBuffer bytes) {
        return resident.copyOf(bytes);
    }

    /**
     * Gives the memory of resident bytes back. A call of a handler that has begun may still return them; no later call,
     * and no deferred reply. The memory has other bytes when none of these are on their way to anybody: about a
     * mebibyte of it is collected before that is asked for.
     *
     * @param bytes what {@link #resident} has returned, or a duplicate of it
     * @throws IllegalArgumentException if they are not resident here, or were released before. Do not count on the
     *     latter: once their memory has other bytes, releasing them again would release those
     */
    public void release(ByteBuffer bytes) {
        fenceIf(resident.release(bytes));
    }

    /** A loop has sent what was to be sent before its fence. */
    void onFencePassed() {
        fenceIf(resident.onFencePassed());
    }

    private void fenceIf(boolean isDue) {
        if (isDue) {
            loops.forEach(loop -> loop.post(loop::fence));
        }
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
        channel.configureBlocking(true);
        if (!channel.isConnected()) {
            throw new NotYetConnectedException();
        }
        byte[] bytes = new byte[unread.remaining()];
        unread.get(bytes);
        loops.get(Math.floorMod(nextLoop.getAndIncrement(), loops.size())).adoptLater(channel, bytes);
    }

    /** {@return what was counted since the start} */
    public InterruptStatistics statistics() {
        return loops.stream().map(InterruptLoop::counts)
                .reduce(InterruptStatistics.NONE, InterruptStatistics::plus);
    }

    ResidentMemory residentMemory() {
        return resident;
    }

    void onError(Place place, Throwable error, SocketAddress peer) {
        try {
            how.onError.handle(place, error, peer);
        } catch (Throwable e) { // also checked ones, which not all languages declare
            // There is no other handler to tell. A loop goes on.
        }
    }

    void onLoopEnd() {
        running.countDown();
    }

    /** Gives a connection to the slow path. */
    void handOver(int descriptor, byte[] unread) {
        SocketChannel channel;
        try {
            channel = channels.of(SelectorProvider.provider(), Arena.family(descriptor), descriptor);
        } catch (IOException | RuntimeException | Error e) {
            Arena.dispose(descriptor);
            onError(e instanceof IOException ? Place.CONNECTION : Place.SLOW_PATH, e, null); // reset meanwhile, mostly
            return;
        }
        try {
            how.executor.execute(() -> goOn(channel, unread));
        } catch (Throwable e) {
            abandon(channel, e);
        }
    }

    private void goOn(SocketChannel channel, byte[] unread) {
        try {
            how.slowPath.handle(channel, ByteBuffer.wrap(unread));
        } catch (Throwable e) {
            abandon(channel, e);
        }
    }

    private void abandon(SocketChannel channel, Throwable error) {
        SocketAddress peer = peerOf(channel);
        try {
            channel.close();
        } catch (IOException e) {
            error.addSuppressed(e);
        }
        onError(Place.SLOW_PATH, error, peer);
    }

    /** The other side's address, as error handlers get it. */
    static SocketAddress peerOf(SocketChannel channel) {
        try {
            return channel.getRemoteAddress() instanceof InetSocketAddress peer ? peer : null;
        } catch (IOException e) {
            return null; // it is closed already
        }
    }

    /**
     * Closes the server gracefully: it accepts no more, handles no more requests, sends what is to be sent, deferred
     * replies included, and ends. What is left at the deadline is closed at once. Returns when all has ended, but at
     * once in a handler. What the slow path has is not this server's.
     *
     * @param time how long that may take
     * @param unit of what
     * @throws InterruptedException if the thread was interrupted while it waited for that; the server ends all the same
     */
    public void close(long time, TimeUnit unit) throws InterruptedException {
        long deadline = System.nanoTime() + Math.min(unit.toNanos(time), Long.MAX_VALUE / 2);
        loops.forEach(loop -> loop.post(() -> loop.finish(deadline)));
        if (!threads.contains(Thread.currentThread())) {
            running.await();
        }
    }

    /** Closes everything at once. If the thread is interrupted, it is not waited for. */
    @Override
    public void close() {
        try {
            close(0, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** {@return whether it has not ended: by {@link #close()}, or because all its loops have failed} */
    public boolean isOpen() {
        return running.getCount() > 0;
    }

    /** Tells the address and what it runs on, and where that is not io_uring, why. */
    @Override
    public String toString() {
        return "InterruptServer at " + address + " on " + arenas.features();
    }
}
