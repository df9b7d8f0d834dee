// SPDX-License-Identifier: Apache-2.0
package dev.pollux;

import dev.pollux.internal.arena.Arena;
import dev.pollux.internal.jdk.ConnectedChannels;
import dev.pollux.internal.jdk.Descriptors;
import java.io.IOException;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * A server whose requests an {@link Interruptlet} handles where they arrive. Each of its loops is a thread, with a ring
 * of io_uring where Linux has it, else a mechanism as selectors have it; with a listening socket and connections of its
 * own. What the handler does not want goes to a {@link SlowPath}.
 *
 * <p>Safe for use by many threads.
 */
public final class InterruptServer implements AutoCloseable {
    private static final AtomicInteger NUMBERS = new AtomicInteger();

    private final InterruptServerBuilder how;
    private final SocketAddress address;
    private final ResidentMemory resident = new ResidentMemory();
    private final List<InterruptLoop> loops = new ArrayList<>();
    private final AtomicInteger nextLoop = new AtomicInteger();
    private final CountDownLatch running;

    /**
     * A server to be.
     *
     * @param address  an InetSocketAddress or UnixDomainSocketAddress to listen at
     * @param handlers makes a handler for each loop
     * @return how the server is to be
     */
    public static InterruptServerBuilder at(SocketAddress address, Supplier<Interruptlet> handlers) {
        return new InterruptServerBuilder(address, handlers);
    }

    InterruptServer(InterruptServerBuilder how) throws IOException {
        this.how = how;
        running = new CountDownLatch(how.loops);
        SocketAddress bound = how.address;
        boolean complete = false;
        try {
            for (int i = 0; i < how.loops; i++) {
                bound = addLoop(bound);
            }
            complete = true;
        } finally {
            if (!complete) {
                loops.forEach(loop -> loop.arena().close());
            }
        }
        address = bound;
        String name = "pollux-interrupt-" + NUMBERS.incrementAndGet();
        for (InterruptLoop loop : loops) {
            new Thread(null, loop, name, 0, false).start();
        }
    }

    private SocketAddress addLoop(SocketAddress where) throws IOException {
        Arena arena = Arena.open(how.mechanism,
                new Arena.Sizes(how.maxConnections + 1, 0, 0, how.maxRequest, how.maxPending, 0));
        InterruptLoop loop = new InterruptLoop(this, arena, how.handlers.get(), how.maxConnections);
        loops.add(loop);
        try (ServerSocketChannel listener = where instanceof UnixDomainSocketAddress
                ? ServerSocketChannel.open(StandardProtocolFamily.UNIX) : ServerSocketChannel.open()) {
            if (how.loops > 1) {
                listener.setOption(StandardSocketOptions.SO_REUSEPORT, true);
            }
            listener.bind(where, how.backlog);
            loop.listen(Arena.duplicate(Descriptors.of(listener)));
            return listener.getLocalAddress();
        }
    }

    /** {@return the address that it listens at} */
    public SocketAddress address() {
        return address;
    }

    /** {@return the mechanism that runs: "io_uring", "epoll", ...} */
    public String mechanism() {
        return loops.get(0).arena().name();
    }

    /**
     * Copies bytes to where they stay as long as this server runs.
     *
     * @param bytes the remaining bytes are copied
     * @return a read-only buffer to be returned by handlers, again and again
     */
    public ByteBuffer resident(ByteBuffer bytes) {
        return resident.copyOf(bytes);
    }

    /**
     * Gives a connection to the fast path.
     *
     * @param channel a connected channel that is registered with no selector; it is closed, the connection is not
     * @param unread  what was read from it and is to be handled
     * @throws IOException if the channel is closed
     */
    public void adopt(SocketChannel channel, ByteBuffer unread) throws IOException {
        channel.configureBlocking(true);
        byte[] bytes = new byte[unread.remaining()];
        unread.get(bytes);
        int descriptor = Arena.duplicate(Descriptors.of(channel));
        channel.close();
        InterruptLoop loop = loops.get(Math.floorMod(nextLoop.getAndIncrement(), loops.size()));
        loop.post(() -> loop.adopt(descriptor, bytes));
    }

    ResidentMemory residentMemory() {
        return resident;
    }

    void onError(Throwable error) {
        how.onError.accept(error);
    }

    void onLoopError(Throwable error) {
        onError(error);
    }

    void onLoopEnd() {
        running.countDown();
    }

    /** Gives a connection to the slow path. */
    void handOver(int descriptor, byte[] unread) {
        how.executor.execute(() -> {
            try {
                boolean isUnix = address instanceof UnixDomainSocketAddress;
                SocketChannel channel = new ConnectedChannels().of(SelectorProvider.provider(),
                        isUnix ? StandardProtocolFamily.UNIX : StandardProtocolFamily.INET6, descriptor,
                        isUnix ? UnixDomainSocketAddress.of("") : null);
                goOn(channel, ByteBuffer.wrap(unread));
            } catch (IOException | RuntimeException e) {
                onError(e);
            }
        });
    }

    private void goOn(SocketChannel channel, ByteBuffer unread) throws IOException {
        try {
            how.slowPath.handle(channel, unread);
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    /**
     * Accepts no more, and ends when all connections have, or after this time.
     *
     * @param time how long
     * @param unit of what
     * @throws InterruptedException if the thread was interrupted while it waited for that
     */
    public void close(long time, TimeUnit unit) throws InterruptedException {
        long deadline = System.nanoTime() + unit.toNanos(time);
        loops.forEach(loop -> loop.post(() -> loop.finish(deadline)));
        running.await();
    }

    /** Closes everything at once. */
    @Override
    public void close() {
        try {
            close(0, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public String toString() {
        return "InterruptServer at " + address + " on " + loops.get(0).arena().features();
    }
}
