// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.bench;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.ArrayList;
import java.util.List;
import org.openjdk.jmh.annotations.Benchmark;

/** They send each other one byte over TCP; with one selector the other end blocks in a read. */
public class ByteRoundTrip extends RoundTrip {
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

    /** Connects the pairs and starts all threads but the one that measures. */
    @Override
    void prepare() throws IOException {
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

    /** There and back. */
    @Benchmark
    public int exchange() throws IOException {
        return equal(1, here.exchange());
    }

    @Override
    void end() throws Exception {
        for (End end : ends) {
            end.selector.close();
        }
        if (size == 1) {
            here.channel.close(); // ends the other thread's read
        }
        joinAll();
        for (End end : ends) {
            end.channel.close();
        }
    }
}
