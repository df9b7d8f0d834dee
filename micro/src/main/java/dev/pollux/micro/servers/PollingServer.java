// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.servers;

import dev.pollux.Poller;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;

/**
 * One thread waits; what it found is divided among all of them; when the last one is done it waits again ("gang
 * scheduling"). Nothing is reported twice, since nobody waits while somebody serves. Sun's PollingServer served this
 * way too.
 */
final class PollingServer extends PollerServer {
    private final int workers;
    private final CyclicBarrier barrier;

    /** What is ready; written by the waiting thread before the barrier, read by all behind it. */
    private final List<Poller.Member> batch = new ArrayList<>();

    PollingServer(Sizes sizes, int workers) throws IOException {
        super(sizes, Poller.POLLIN);
        this.workers = workers;
        barrier = new CyclicBarrier(workers);
    }

    @Override
    void serve() throws IOException {
        for (int i = 1; i < workers; i++) {
            int share = i;
            ServerMain.start("worker " + i, () -> {
                ByteBuffer buffer = buffer();
                while (true) {
                    work(share, buffer);
                }
            });
        }
        Poller.Handler collect = (member, events) -> batch.add(member);
        ByteBuffer buffer = buffer();
        while (true) {
            batch.clear();
            poller.await(collect, Poller.FOREVER);
            work(0, buffer);
        }
    }

    /** One thread's share of one batch. */
    private void work(int share, ByteBuffer buffer) throws IOException {
        meet();
        int end = batch.size() * (share + 1) / workers;
        for (int i = batch.size() * share / workers; i < end; i++) {
            served(batch.get(i), buffer);
        }
        meet();
    }

    private void meet() {
        try {
            barrier.await();
        } catch (InterruptedException | BrokenBarrierException e) {
            throw new IllegalStateException(e);
        }
    }
}
