// SPDX-License-Identifier: Apache-2.0
package dev.pollux.tools.common;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.pollux.internal.count.Counter;
import dev.pollux.internal.count.Loop;
import dev.pollux.internal.verdict.SpinReport;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Pipe;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

/** A selector, and channels of its provider that are closed in the end, for checks and measurements. For one thread. */
public final class Bench implements Closeable {
    /** How long an event may take to arrive. After this it counts as lost. */
    public static final long MAX_WAIT_MILLIS = 2_000;

    /** Whose channels these are. */
    public final SelectorProvider provider;

    /** What they are registered with. */
    public final Selector selector;

    private final UnaryOperator<Selector> view;
    private final Deque<Closeable> open = new ArrayDeque<>();

    /** What channels are registered with; the same as the selector, but in a test. */
    private final Selector registrar;

    public Bench(SelectorProvider provider) throws IOException {
        this(provider, UnaryOperator.identity());
    }

    /** For tests: with another view of the selector, which has a fault. */
    public Bench(SelectorProvider provider, UnaryOperator<Selector> view) throws IOException {
        this.provider = provider;
        this.view = view;
        registrar = provider.openSelector();
        selector = opened(view.apply(registrar));
    }

    /** A bench like this, with a selector of its own. */
    public Bench another() throws IOException {
        return new Bench(provider, view);
    }

    /** The two ends of a connection: the near one does not block and is for the selector, the far one blocks. */
    public record Connection(SocketChannel near, SocketChannel far) {
    }

    /** How many writes a selector of ours has deferred. */
    public long deferredWrites() {
        return ((Loop) registrar).statistics().count(Counter.DEFERRED_WRITES);
    }

    /** Has it closed in the end. */
    public <C extends Closeable> C opened(C resource) {
        open.push(resource);
        return resource;
    }

    public ServerSocketChannel listener() throws IOException {
        return opened(provider.openServerSocketChannel()).bind(new InetSocketAddress(loopback(), 0));
    }

    public Connection connection() throws IOException {
        try (ServerSocketChannel listener = provider.openServerSocketChannel()) {
            listener.bind(new InetSocketAddress(loopback(), 0));
            SocketChannel near = opened(provider.openSocketChannel());
            near.connect(listener.getLocalAddress());
            SocketChannel far = opened(listener.accept());
            near.configureBlocking(false);
            return new Connection(near, far);
        }
    }

    /** A pipe whose source does not block. */
    public Pipe pipe() throws IOException {
        Pipe pipe = provider.openPipe();
        opened(pipe.source()).configureBlocking(false);
        opened(pipe.sink());
        return pipe;
    }

    /** A datagram channel at a port of its own that does not block. */
    public DatagramChannel datagramChannel() throws IOException {
        DatagramChannel channel = opened(provider.openDatagramChannel(family()));
        channel.bind(new InetSocketAddress(loopback(), 0)).configureBlocking(false);
        return channel;
    }

    public SelectionKey register(SelectableChannel channel, int interest) throws IOException {
        return channel.register(registrar, interest);
    }

    /** Waits for events of this key alone, and takes it out of the set of selected keys. */
    public void awaitReady(SelectionKey key, int events) throws IOException {
        int count = selector.select(MAX_WAIT_MILLIS);
        require(count == 1 && selector.selectedKeys().contains(key), SpinReport.ops(events) + " is reported, once: "
                + count + " keys of " + selector.selectedKeys().size() + " selected ones");
        require(key.readyOps() == events,
                SpinReport.ops(events) + " is reported, not " + SpinReport.ops(key.readyOps()));
        selector.selectedKeys().clear();
    }

    /** Waits until another thread wakes the selector. */
    public void awaitWakeup() throws IOException {
        long start = System.nanoTime();
        require(selector.select(MAX_WAIT_MILLIS) == 0, "a wakeup is no event");
        require(System.nanoTime() - start < TimeUnit.MILLISECONDS.toNanos(MAX_WAIT_MILLIS),
                "a wakeup ends a selection that waits");
    }

    /** Nothing is ready now. */
    public void expectNothing(String when) throws IOException {
        int count = selector.selectNow();
        require(count == 0, "nothing is ready " + when + ": " + count + " keys");
    }

    /** Reads what has arrived, as text. Returns null at the end of the stream. */
    public static String read(SocketChannel channel) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(4096);
        int count = channel.read(buffer);
        return count < 0 ? null : new String(buffer.array(), 0, count, US_ASCII);
    }

    /** Fills this buffer with what arrives. */
    public static void receive(SocketChannel from, ByteBuffer whole) throws IOException {
        for (whole.clear(); whole.hasRemaining();) {
            if (from.read(whole) < 0) {
                throw new IOException("the other end is gone");
            }
        }
    }

    public static ByteBuffer bytes(String text) {
        return ByteBuffer.wrap(text.getBytes(US_ASCII));
    }

    public static InetAddress loopback() {
        return InetAddress.getLoopbackAddress();
    }

    public static void require(boolean kept, String promise) throws IOException {
        if (!kept) {
            throw new IOException("broken: " + promise);
        }
    }

    private static StandardProtocolFamily family() {
        return loopback().getAddress().length == 4 ? StandardProtocolFamily.INET : StandardProtocolFamily.INET6;
    }

    @Override
    public void close() throws IOException {
        while (!open.isEmpty()) {
            open.pop().close();
        }
    }
}
