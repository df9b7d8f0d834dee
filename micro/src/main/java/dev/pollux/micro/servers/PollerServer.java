// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.servers;

import dev.pollux.Poller;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;

/**
 * A Poller whose listener is a member without an attachment; the connections have their own. One thread waits and
 * serves, level-triggered; in the ways below several do.
 */
class PollerServer extends ChannelServer {
    final Poller poller = new Poller();
    private final int events;

    PollerServer(Protocol protocol) throws IOException {
        this(protocol, Poller.POLLIN);
    }

    /** Arguments: what is asked for, and what every member is watched for. */
    PollerServer(Protocol protocol, int events) throws IOException {
        super(protocol);
        this.events = events;
    }

    @Override
    final void serve() throws IOException {
        listener.configureBlocking(false);
        poller.add(listener, events);
        serveMembers();
    }

    /** Serves for ever. */
    void serveMembers() throws IOException {
        Server server = new Server();
        Poller.Handler handler = (member, ready) -> server.serve(member);
        while (true) {
            poller.await(handler);
        }
    }

    /** One more thread that serves; its end is the end of the virtual machine. */
    static void startWorker(int number, Work work) {
        new Thread(() -> {
            try {
                work.run();
            } catch (Throwable failure) {
                failure.printStackTrace();
            }
            System.exit(1);
        }, "worker " + number).start();
    }

    /** What a thread does for ever. */
    interface Work {
        void run() throws IOException;
    }

    /** What a serving thread has. */
    final class Server {
        private final ByteBuffer in = room();
        private final ByteBuffer page = protocol.page();

        /** Serves a member that was reported. False if it is gone. */
        boolean serve(Poller.Member member) throws IOException {
            Exchange exchange = (Exchange) member.attachment();
            if (exchange == null) {
                accept();
            } else if (!exchange.serve(protocol, in, page)) {
                member.remove();
                exchange.close();
                return false;
            }
            return true;
        }

        private void accept() throws IOException {
            for (SocketChannel channel; (channel = listener.accept()) != null; ) {
                channel.configureBlocking(false);
                poller.add(channel, events, new Exchange(channel));
            }
        }
    }

    @Override
    public final String version() {
        return poller.mechanism();
    }

    /**
     * Several threads that all wait and serve: a member is reported to one of them, and again only once that one is
     * done with it. They are handed one member at a time, or take some and hold them until each is served.
     */
    static final class OneShot extends PollerServer {
        private final int workers;
        private final int batch;

        OneShot(Protocol protocol, int workers, int batch) throws IOException {
            super(protocol, Poller.POLLIN | Poller.ONESHOT);
            this.workers = workers;
            this.batch = batch;
        }

        @Override
        void serveMembers() throws IOException {
            for (int i = 1; i < workers; i++) {
                startWorker(i, this::work);
            }
            work();
        }

        private void work() throws IOException {
            Server server = new Server();
            Poller.Handler handler = (member, events) -> {
                if (server.serve(member)) {
                    member.enable();
                }
            };
            int[] descriptors = new int[batch];
            short[] ready = new short[batch];
            while (true) {
                if (batch == 1) {
                    poller.await(handler);
                    continue;
                }
                int count = poller.await(descriptors, ready, Poller.FOREVER, TimeUnit.NANOSECONDS);
                for (int i = 0; i < count; i++) {
                    handler.ready(poller.find(descriptors[i]), ready[i]);
                }
            }
        }
    }

    /**
     * One thread waits; what it found is divided among all of them; when the last one is done it waits again ("gang
     * scheduling"). Nothing is reported twice, since no thread waits while another serves. Sun's PollingServer served
     * this way too.
     */
    static final class Gang extends PollerServer {
        private final int workers;
        private final CyclicBarrier barrier;

        /** What is ready; written by the waiting thread before the barrier, read by all behind it. */
        private final List<Poller.Member> batch = new ArrayList<>();

        Gang(Protocol protocol, int workers) throws IOException {
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
}
