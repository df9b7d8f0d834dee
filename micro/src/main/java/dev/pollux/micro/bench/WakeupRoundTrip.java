// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.bench;

import java.io.IOException;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import org.openjdk.jmh.annotations.Benchmark;

/** They wake each other in turn, each blocked in its selector; with one selector the other waits for a semaphore. */
public class WakeupRoundTrip extends RoundTrip {
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

    /** There and back. */
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
