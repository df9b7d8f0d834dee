// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.ArrayList;
import java.util.List;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;

/**
 * Pairs of threads, each with a selector of its own, send each other one byte over TCP. One of them measures; the other
 * pairs do the same beside it. The distribution is sampled.
 */
@BenchmarkMode(Mode.SampleTime)
public class ByteRoundTrip extends Setting {
    /** How many selectors take part, two for each pair; with 1 the other end blocks in a read. */
    @Param({"1", "2", "8", "16", "64"})
    public int size;

    private final List<Thread> threads = new ArrayList<>();
    private final List<End> ends = new ArrayList<>();
    private End here;

    /** One end of a connection and its selector. */
    private static final class End {
        private final SocketChannel channel;
        private final Selector selector;
        private final ByteBuffer buffer = ByteBuffer.allocateDirect(1);

        End(SelectorProvider provider, SocketChannel channel) throws IOException {
            this.channel = channel;
            selector = provider.openSelector();
            channel.configureBlocking(false);
            channel.register(selector, SelectionKey.OP_READ);
        }

        int exchange() throws IOException {
            channel.write(buffer.clear());
            return receive();
        }

        int receive() throws IOException {
            int selected = selector.select();
            selector.selectedKeys().clear();
            channel.read(buffer.clear());
            return selected;
        }

        void answer() throws IOException {
            while (receive() > 0) {
                channel.write(buffer.clear());
            }
        }

        void keepExchanging() throws IOException {
            while (exchange() > 0) {
                // until it is closed
            }
        }
    }

    /** What a thread does until its channel is closed. */
    private interface Body {
        void run() throws IOException;
    }

    /** Connects the pairs and starts all threads but the one that measures. */
    @Setup
    public void start() throws IOException {
        sockets = new Sockets(provider);
        for (int i = 0; i < size; i += 2) {
            End near = connect();
            if (here == null) {
                here = near;
            } else {
                start(near::keepExchanging);
            }
        }
    }

    private End connect() throws IOException {
        try (ServerSocketChannel server = sockets.provider.openServerSocketChannel()) {
            server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            SocketChannel near = sockets.provider.openSocketChannel();
            near.connect(server.getLocalAddress());
            SocketChannel far = server.accept();
            End end = new End(sockets.provider, near);
            ends.add(end);
            if (size == 1) {
                start(() -> echo(far));
            } else {
                ends.add(new End(sockets.provider, far));
                start(ends.get(ends.size() - 1)::answer);
            }
            return end;
        }
    }

    /** Answers without a selector, until the other end is closed. */
    private static void echo(SocketChannel channel) throws IOException {
        try (channel) {
            ByteBuffer buffer = ByteBuffer.allocateDirect(1);
            while (channel.read(buffer.clear()) > 0) {
                channel.write(buffer.flip());
            }
        }
    }

    private void start(Body body) {
        Thread thread = VirtualThreads.factory().newThread(() -> {
            try {
                body.run();
            } catch (ClosedChannelException | ClosedSelectorException e) {
                // the end
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        threads.add(thread);
        thread.start();
    }

    @Override
    Thread allocating() {
        return threads.get(0);
    }

    /** There and back. */
    @Benchmark
    public int exchange() throws IOException {
        return Check.equal(1, here.exchange());
    }

    /** Ends the threads. */
    @TearDown
    public void stop() throws Exception {
        for (End end : ends) {
            end.selector.close();
        }
        if (size == 1) {
            here.channel.close(); // ends the other thread's read
        }
        for (Thread thread : threads) {
            thread.join();
        }
        for (End end : ends) {
            end.channel.close();
        }
    }
}
