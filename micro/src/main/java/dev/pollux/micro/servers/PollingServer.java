// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.servers;

import dev.pollux.Poller;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;

/**
 * One thread waits; what it found is divided among all of them; when the last one is done it waits again ("gang
 * scheduling"). Nothing is reported twice, since no thread waits while another serves. Sun's PollingServer served this
 * way too.
 */
final class PollingServer extends PollerServer {
    private final int workers;
    private final CyclicBarrier barrier;

    /** What is ready; written by the waiting thread before the barrier, read by all behind it. */
    private final List<Poller.Member> batch = new ArrayList<>();

    PollingServer(Protocol protocol, int workers) throws IOException {
        super(protocol);
        this.workers = workers;
        barrier = new CyclicBarrier(workers);
    }

    @Override
    void serveMembers() throws IOException {
        for (int i = 1; i < workers; i++) {
            int share = i;
            startWorker(i, () -> {
                Server server = new Server();
                while (true) {
                    work(share, server);
                }
            });
        }
        Poller.Handler collect = (member, ready) -> batch.add(member);
        Server server = new Server();
        while (true) {
            batch.clear();
            poller.await(collect);
            work(0, server);
        }
    }

    /** One thread's share of one batch. */
    private void work(int share, Server server) throws IOException {
        meet();
        int end = batch.size() * (share + 1) / workers;
        for (int i = batch.size() * share / workers; i < end; i++) {
            server.serve(batch.get(i));
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
