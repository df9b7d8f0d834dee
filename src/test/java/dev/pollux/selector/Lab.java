// SPDX-License-Identifier: Apache-2.0
package dev.pollux.selector;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.lang.reflect.Constructor;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.concurrent.Callable;
import java.util.stream.Stream;

/**
 * What one test works with: a provider under test, and everything that was opened from it, closed in reverse order.
 * The system property {@code pollux.test.providers} names the providers; the JDK's own can be among them.
 * Opening is for the test's thread only.
 */
final class Lab implements AutoCloseable {

    /** Comma-separated class names of the providers under test. */
    static final String PROVIDERS = "pollux.test.providers";

    /** The providers of this project that this system has. */
    static final String DEFAULT_PROVIDERS = "dev.pollux.EPollSelectorProvider,dev.pollux.PollSelectorProvider";

    private final SelectorProvider provider;
    private final Deque<AutoCloseable> opened = new ArrayDeque<>();

    private Lab(SelectorProvider provider) {
        this.provider = provider;
    }

    static Stream<Lab> all() {
        return Arrays.stream(System.getProperty(PROVIDERS, DEFAULT_PROVIDERS).split(","))
                .map(name -> new Lab(instantiate(name.strip())));
    }

    static Lab of(String providerName) {
        return new Lab(instantiate(providerName));
    }

    private static SelectorProvider instantiate(String name) {
        try {
            Constructor<?> constructor = Class.forName(name).getDeclaredConstructor();
            constructor.setAccessible(true);
            return (SelectorProvider) constructor.newInstance();
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("provider under test: " + name, e);
        }
    }

    SelectorProvider provider() {
        return provider;
    }

    String providerName() {
        return provider.getClass().getName();
    }

    /** Skips a test of keys that are armed for one event. */
    void needsOneShot() {
        assumeTrue(isEPoll(), "the mechanism has no event that disarms a whole descriptor");
    }

    /** Skips a test that watches epoll_ctl, or has it fail, where no change ends in it; an emulated kqueue is made of epolls. */
    void needsRegistrations() {
        assumeTrue(isEPoll() || isKQueue(), "the mechanism keeps no registrations in the kernel");
    }

    /** The call that an exception about a refused change names. */
    String updateCall() {
        return isKQueue() ? "kevent" : "epoll_ctl";
    }

    boolean isEPoll() {
        return provider.getClass().getSimpleName().equals("EPollSelectorProvider");
    }

    /** Emulated on Linux: a call of kevent is several system calls, one of them getppid. */
    boolean isKQueue() {
        return provider.getClass().getSimpleName().equals("KQueueSelectorProvider");
    }

    /** Whether a selector on this mechanism gets to know of urgent data, and drops them. */
    boolean reportsUrgentData() {
        return isKQueue() || provider.getClass().getSimpleName().equals("WEPollSelectorProvider");
    }

    /** Lets the JDK open what it opens once per process, so that it does not look like a leak. */
    void warmUp() throws IOException {
        try (Lab other = new Lab(provider)) {
            Selector selector = other.selector();
            other.tcp().near().register(selector, SelectionKey.OP_READ);
            selector.selectNow();
            other.pipe().source().close();
        }
    }

    <T extends AutoCloseable> T opened(T resource) {
        opened.push(resource);
        return resource;
    }

    Selector selector() throws IOException {
        return opened(provider.openSelector());
    }

    /** A pipe with both ends non-blocking. */
    Pipe pipe() throws IOException {
        Pipe pipe = provider.openPipe();
        opened(pipe.source()).configureBlocking(false);
        opened(pipe.sink()).configureBlocking(false);
        return pipe;
    }

    /** A non-blocking listener on a free port of the loopback interface. */
    ServerSocketChannel listener() throws IOException {
        ServerSocketChannel listener = opened(provider.openServerSocketChannel());
        listener.bind(loopback(0)).configureBlocking(false);
        return listener;
    }

    /** A connection over the loopback interface: {@code near} is non-blocking, {@code far} is blocking. */
    Connection tcp() throws IOException {
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
    DatagramChannel datagram() throws IOException {
        DatagramChannel channel = opened(provider.openDatagramChannel());
        channel.bind(loopback(0)).configureBlocking(false);
        return channel;
    }

    /** Starts a thread that is joined when the lab closes. */
    <T> Job<T> start(Callable<T> body) {
        return opened(new Job<>(body));
    }

    static SocketAddress loopback(int port) {
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

    @Override
    public String toString() {
        return providerName();
    }

    /** Two ends of a TCP or Unix-domain connection. */
    record Connection(SocketChannel near, SocketChannel far) {
    }
}
