// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.bench;

import java.io.IOException;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;

/**
 * Pairs of threads, each blocked in its own selector, wake each other in turn. One of them measures; the other pairs do
 * the same beside it. The distribution is sampled. JMH keeps its samples in the measuring thread: the bytes are those
 * of the one that answers, which does the same.
 */
@BenchmarkMode(Mode.SampleTime)
public class WakeupRoundTrip extends Setting {
    /** How many selectors take part, two for each pair; with 1 the other thread waits for a semaphore. */
    @Param({"1", "2", "8", "16", "64"})
    public int size;

    private final List<Thread> threads = new ArrayList<>();
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
            Check.equal(0, selector.select());
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
    @Setup
    public void start() throws IOException {
        sockets = new Sockets(provider);
        here = new SelectorEnd(sockets.selector);
        there = size == 1 ? new SemaphoreEnd(new Semaphore(0)) : end();
        start(there, here);
        for (int i = 2; i < size; i += 2) {
            End one = end();
            End other = end();
            start(one, other);
            start(other, one);
            one.wake();
        }
    }

    private End end() throws IOException {
        return new SelectorEnd(sockets.provider.openSelector());
    }

    private void start(End own, End peer) {
        ends.add(own);
        threads.add(VirtualThreads.factory().newThread(() -> answer(own, peer)));
        threads.get(threads.size() - 1).start();
    }

    private void answer(End own, End peer) {
        try {
            own.await();
            while (!stop) {
                peer.wake();
                own.await();
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    Thread allocating() {
        return threads.get(0);
    }

    /** There and back. */
    @Benchmark
    public void wakeupAndWait() throws IOException {
        there.wake();
        here.await();
    }

    /** Ends the threads. */
    @TearDown
    public void stop() throws Exception {
        stop = true;
        ends.forEach(End::wake);
        for (Thread thread : threads) {
            thread.join();
        }
        for (End end : ends) {
            if (end instanceof SelectorEnd own) {
                own.selector.close();
            }
        }
    }
}
