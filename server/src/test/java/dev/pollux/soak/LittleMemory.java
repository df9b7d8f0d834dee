// SPDX-License-Identifier: Apache-2.0
package dev.pollux.soak;

import dev.pollux.server.Exchange;
import dev.pollux.server.Reply;
import dev.pollux.server.StreamServer;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;

/**
 * Connections that need more direct memory than there is: for long requests, for replies, and for what they do not
 * read. For a virtual machine that has little, and no other scenario, since all would lack it.
 */
final class LittleMemory extends ServerScenario {
    private static final int GREEDY = 4;
    private static final int LOOPS = 2;
    private static final int LARGE = 6 << 20;

    /** One for all: the heap is looked at, too. */
    private static final byte[] BYTES = new byte[LARGE];

    private StreamServer server;

    LittleMemory(Site site) {
        super(site);
    }

    @Override
    void start() throws Exception {
        server = opened(server(() -> LittleMemory::serve).loops(LOOPS).maxConnections(100).maxRequest(2 * LARGE)
                .maxPending(2 * LARGE).maxWaiting(1L << 30).start());
        for (int i = 0; i < HEALTHY; i++) {
            Flow flow = flow("healthy " + i);
            Socket client = connect(server);
            exchange(client, MAX_LENGTH); // the JDK keeps the memory for as much for each thread
            drive("healthy " + i, () -> runHealthy(client, flow));
        }
        for (int i = 0; i < GREEDY; i++) {
            Flow flow = flow("greedy " + i);
            drive("greedy " + i, () -> runGreedy(flow));
        }
    }

    private static void serve(ByteBuffer data, Exchange exchange) {
        switch (data.get(0)) {
            case 'l' -> {
                if (data.remaining() < LARGE) {
                    exchange.awaitMore();
                    return;
                }
                exchange.send(data.duplicate());
            }
            case 'r' -> exchange.send(ByteBuffer.wrap(BYTES));
            case 'd' -> {
                Reply reply = exchange.defer();
                reply.send(ByteBuffer.wrap(BYTES));
            }
            case 'c' -> exchange.connection().send(ByteBuffer.wrap(BYTES));
            default -> exchange.send(data.duplicate());
        }
        data.position(data.limit());
    }

    private void runHealthy(Socket client, Flow flow) throws Exception {
        try (client) {
            exchange(client, MAX_LENGTH);
            exchangeUntilTheEnd(client, flow);
        }
    }

    private void runGreedy(Flow flow) throws Exception {
        while (!isStopping()) {
            byte letter = (byte) "lrdc".charAt(random(4));
            try (Socket client = connect(server)) {
                client.getOutputStream().write(letter);
                client.getOutputStream().write(BYTES, 0, letter == 'l' ? LARGE - 1 : 0);
                Thread.sleep(random(20));
                client.getInputStream().skipNBytes(random(2) * (long) LARGE);
                tally.events.increment();
            } catch (IOException | OutOfMemoryError e) { // the error: of the JDK's own for this thread
                tally.expected.increment();
            }
            flow.beat();
        }
        end(flow);
    }
}
