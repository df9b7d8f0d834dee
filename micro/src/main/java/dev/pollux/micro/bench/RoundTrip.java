// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.bench;

import dev.pollux.ClosedPollerException;
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
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.Param;

/**
 * Pairs of threads, each with a selector of its own, that wait for each other. One of them measures; the other pairs do
 * the same beside it. The distribution is sampled. JMH keeps its samples in the measuring thread: the bytes are those
 * of the one that answers, which does the same.
 */
@BenchmarkMode(Mode.SampleTime)
public abstract class RoundTrip extends Setting {
    /** How many selectors take part, two for each pair; with 1 the other thread has none. */
    @Param({"1", "2", "8", "16", "64"})
    public int size;

    final List<Thread> threads = new ArrayList<>();

    /** What a thread does until it is ended. */
    interface Body {
        void run() throws IOException;
    }

    final void start(Body body) {
        Thread thread = VirtualThreads.factory().newThread(() -> {
            try {
                body.run();
            } catch (ClosedChannelException | ClosedSelectorException | ClosedPollerException e) {
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

    final void joinAll() throws InterruptedException {
        for (Thread thread : threads) {
            thread.join();
        }
    }

    /** They send each other one byte over TCP; with one selector the other end blocks in a read. */
    public static class ByteRoundTrip extends RoundTrip {
        private final List<End> ends = new ArrayList<>();
        private End here;

        /** One end of a connection and what it waits in. */
        private static final class End {
            private final SocketChannel channel;
            private final Waiter waiter;
            private final ByteBuffer buffer = ByteBuffer.allocateDirect(1);

            End(Waiter waiter, SocketChannel channel) throws IOException {
                this.channel = channel;
                this.waiter = waiter;
                channel.configureBlocking(false);
                waiter.add(channel, SelectionKey.OP_READ);
            }

            int exchange() throws IOException {
                channel.write(buffer.clear());
                return receive();
            }

            int receive() throws IOException {
                int ready = waiter.await();
                channel.read(buffer.clear());
                return ready;
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

        @Override
        boolean knowsPoller() {
            return true;
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
                End end = new End(Waiter.of(provider), near);
                ends.add(end);
                if (size == 1) {
                    start(() -> echo(far));
                } else {
                    ends.add(new End(Waiter.of(provider), far));
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

        @Benchmark
        public int exchange() throws IOException {
            return equal(1, here.exchange());
        }

        @Override
        void end() throws Exception {
            for (End end : ends) {
                end.waiter.close();
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

    /** They wake each other in turn, blocked in their selectors; with one selector the other waits for a semaphore. */
    public static class WakeupRoundTrip extends RoundTrip {
        private final List<End> ends = new ArrayList<>();
        private End here;
        private End there;
        private volatile boolean stop;

        /** A thread that can be woken. */
        private interface End {
            void wake();

            void await() throws IOException;
        }

        private record SelectorEnd(Selector selector) implements End {
            @Override
            public void wake() {
                selector.wakeup();
            }

            @Override
            public void await() throws IOException {
                equal(0, selector.select());
            }
        }

        private record SemaphoreEnd(Semaphore semaphore) implements End {
            @Override
            public void wake() {
                semaphore.release();
            }

            @Override
            public void await() {
                semaphore.acquireUninterruptibly();
            }
        }

        /** Starts all threads but the one that measures. */
        @Override
        void prepare() throws IOException {
            here = new SelectorEnd(sockets.selector);
            there = size == 1 ? new SemaphoreEnd(new Semaphore(0)) : openEnd();
            start(there, here);
            for (int i = 2; i < size; i += 2) {
                End one = openEnd();
                End other = openEnd();
                start(one, other);
                start(other, one);
                one.wake();
            }
        }

        private End openEnd() throws IOException {
            return new SelectorEnd(sockets.provider.openSelector());
        }

        private void start(End own, End peer) {
            ends.add(own);
            start(() -> {
                own.await();
                while (!stop) {
                    peer.wake();
                    own.await();
                }
            });
        }

        @Benchmark
        public void wakeupAndWait() throws IOException {
            there.wake();
            here.await();
        }

        @Override
        void end() throws Exception {
            stop = true;
            ends.forEach(End::wake);
            joinAll();
            for (End end : ends) {
                if (end instanceof SelectorEnd own) {
                    own.selector.close();
                }
            }
        }
    }
}
