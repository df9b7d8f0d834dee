// SPDX-License-Identifier: Apache-2.0
package dev.pollux.soak;

import dev.pollux.lab.Injection;
import dev.pollux.server.Exchange;
import dev.pollux.server.StreamServer;
import java.io.File;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.stream.Stream;

/**
 * Again and again, one of the two loops of a server fails, since the kernel refuses its turn: strace has it. The other
 * one serves its connections on, and all that come.
 */
final class DeadLoops extends ServerScenario {
    private static final String WAITS = "io_uring_enter,epoll_wait,epoll_pwait,epoll_pwait2,poll,ppoll";
    private static final byte NAME = 't', FAIL = 'f';

    private final BlockingQueue<Injection> injections = new LinkedBlockingQueue<>();

    DeadLoops(Site site) {
        super(site);
    }

    @Override
    String skipped() {
        return Stream.of(System.getenv("PATH").split(File.pathSeparator))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, "strace"))) ? null : "there is no strace";
    }

    @Override
    void start() {
        Flow flow = flow("episodes");
        drive("episodes", () -> {
            while (!isStopping()) {
                try (StreamServer server = opening(() -> server(() -> this::serve).loops(2).start())) {
                    live(server);
                }
                flow.beat();
            }
            end(flow);
        });
    }

    private void serve(ByteBuffer data, Exchange exchange) throws Exception {
        switch (data.get(0)) {
            case NAME -> {
                String name = Thread.currentThread().getName();
                exchange.send(ByteBuffer.wrap(new byte[] {(byte) name.charAt(name.length() - 1)}));
                data.position(data.limit());
            }
            case FAIL -> {
                synchronized (DescriptorLimit.LIMIT) {
                    injections.add(opening(() -> Injection.failingTwice(WAITS, "EBADF", Duration.ofMillis(1))));
                }
                echo(data, exchange);
            }
            default -> echo(data, exchange);
        }
    }

    private static int loopOf(Socket client) throws IOException {
        client.getOutputStream().write(NAME);
        return client.getInputStream().read();
    }

    /** Ten connections of the loop that goes on are served before, meanwhile and after it. */
    private void live(StreamServer server) throws Exception {
        List<Socket> clients = new ArrayList<>();
        try {
            List<Socket> healthy = new ArrayList<>();
            Socket failing = connect(server);
            clients.add(failing);
            int dead = loopOf(failing);
            while (healthy.size() < HEALTHY) {
                Socket client = connect(server);
                clients.add(client);
                if (loopOf(client) != dead) {
                    healthy.add(client);
                }
            }
            failing.getOutputStream().write(FAIL);
            while (server.statistics().loops() == 2) {
                exchangeAll(healthy);
            }
            for (Injection each = injections.take(); each != null; each = injections.poll()) {
                each.close();
            }
            for (int i = 0; i < HEALTHY; i++) {
                healthy.add(connect(server));
                clients.add(healthy.get(HEALTHY + i));
            }
            exchangeAll(healthy);
            tally.events.increment();
        } finally {
            for (Socket each : clients) {
                each.close();
            }
        }
    }

    private void exchangeAll(List<Socket> clients) throws IOException {
        for (Socket each : clients) {
            exchange(each);
        }
    }
}
