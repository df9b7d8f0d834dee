// SPDX-License-Identifier: Apache-2.0
package dev.pollux.lab;

import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Pipe;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Callable;

/**
 * What one test works with: channels of one provider and whatever else was opened, closed in reverse order.
 * Opening is for the test's thread only.
 */
public abstract class Workbench implements AutoCloseable {

    private final SelectorProvider provider;
    private final Deque<AutoCloseable> opened = new ArrayDeque<>();

    protected Workbench(SelectorProvider provider) {
        this.provider = provider;
    }

    /** Lets the JDK open what it opens once per process, so that it does not look like a leak. */
    public abstract void warmUp() throws Exception;

    public SelectorProvider provider() {
        return provider;
    }

    public <T extends AutoCloseable> T opened(T resource) {
        opened.push(resource);
        return resource;
    }

    /** A pipe with both ends non-blocking. */
    public Pipe pipe() throws IOException {
        Pipe pipe = provider.openPipe();
        opened(pipe.source()).configureBlocking(false);
        opened(pipe.sink()).configureBlocking(false);
        return pipe;
    }

    /** A non-blocking listener on a free port of the loopback interface. */
    public ServerSocketChannel listener() throws IOException {
        ServerSocketChannel listener = opened(provider.openServerSocketChannel());
        listener.bind(loopback(0)).configureBlocking(false);
        return listener;
    }

    /** A connection over the loopback interface: {@code near} is non-blocking, {@code far} is blocking. */
    public Connection tcp() throws IOException {
        try (ServerSocketChannel listener = provider.openServerSocketChannel()) {
            listener.bind(loopback(0));
            SocketChannel far = opened(provider.openSocketChannel());
            far.connect(listener.getLocalAddress());
            SocketChannel near = opened(listener.accept());
            near.configureBlocking(false);
            return new Connection(near, far);
        }
    }

    /** A non-blocking datagram channel bound to a free port of the loopback interface. */
    public DatagramChannel datagram() throws IOException {
        DatagramChannel channel = opened(provider.openDatagramChannel());
        channel.bind(loopback(0)).configureBlocking(false);
        return channel;
    }

    /**
     * Opens something whose number is none of the lowest, which other threads of the VM would take when it is closed.
     */
    public <T> T withHighNumber(Callable<T> opening) throws Exception {
        List<DatagramChannel> lower = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            lower.add(datagram());
        }
        T high = opening.call();
        for (DatagramChannel each : lower) {
            each.close();
        }
        return high;
    }

    /** Opens channels until one has the number; the kernel hands out the lowest that is free. */
    public DatagramChannel datagramWithNumber(int number) throws Exception {
        for (int i = 0; i < 100; i++) {
            DatagramChannel channel = datagram();
            if (Descriptors.numberOf(channel) == number) {
                return channel;
            }
        }
        throw new AssertionError("descriptor " + number + " did not come again");
    }

    /**
     * Opens channels until no descriptor is free. More than once, because a thread of the VM may have had a file open
     * for a moment.
     *
     * @param channels gets the channels; whoever has it closes them
     */
    public void useUpDescriptors(Deque<DatagramChannel> channels) throws InterruptedException {
        for (int time = 0; time < 3; time++) {
            assertThrows(IOException.class, () -> {
                while (true) {
                    channels.push(provider.openDatagramChannel());
                }
            });
            Thread.sleep(10);
        }
    }

    /** Starts a thread that is joined when the workbench closes. */
    public <T> Job<T> start(Callable<T> body) {
        return opened(new Job<>(body));
    }

    public static SocketAddress loopback(int port) {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    @Override
    public void close() {
        Throwable first = null;
        for (AutoCloseable resource : opened) {
            try {
                resource.close();
            } catch (Exception e) {
                first = first == null ? e : first;
            }
        }
        if (first != null) {
            throw new AssertionError("closing what the test opened", first);
        }
    }

    /** Two ends of a TCP or Unix-domain connection. */
    public record Connection(SocketChannel near, SocketChannel far) {
    }
}
