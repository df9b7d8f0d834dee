// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.lab.Job;
import dev.pollux.server.ServerLab.Client;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;

/** Requests that are longer than an arena keeps, and come in many parts. */
class LongRequestTest {
    private static final int LONG = 1 << 25;
    private static final Executor THREADS = task -> new Thread(task).start();

    private static ByteBuffer pattern(int length, int seed) {
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return ByteBuffer.wrap(bytes);
    }

    private static void say(Client client, ByteBuffer bytes) {
        try {
            while (bytes.hasRemaining()) {
                client.channel.write(bytes);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e); // the test ends by that it hears nothing
        }
    }

    private static ByteBuffer hear(Client client, int length) throws Exception {
        ByteBuffer bytes = ByteBuffer.allocate(length);
        while (bytes.hasRemaining()) {
            assertTrue(client.channel.read(bytes) > 0, "the end came at " + bytes);
        }
        return bytes.flip();
    }

    /** The processor time of the loop's thread is counted, so it does not matter how busy the machine is. */
    @EachMechanism
    void aLongRequestCostsTimeForEachByteOnce(ServerLab lab) throws Exception {
        AtomicLong loop = new AtomicLong();
        ByteBuffer expected = pattern(LONG, 1);
        lab.serve(lab.anywhere(() -> (data, exchange) -> {
            loop.set(Thread.currentThread().getId());
            if (data.remaining() < LONG) {
                exchange.awaitMore();
                return;
            }
            assertEquals(-1, data.slice(data.position(), LONG).mismatch(expected));
            data.position(data.position() + LONG);
            exchange.send(ServerLab.bytes("ok"));
        }).maxRequest(LONG));
        Client client = lab.client();
        Client other = lab.client();
        say(other, expected.slice(0, LONG / 2));
        say(client, expected.duplicate());
        client.assertHears("ok");
        long nanos = ManagementFactory.getThreadMXBean().getThreadCpuTime(loop.get());
        assertTrue(nanos < 1_000_000_000, "processor time of the loop: " + nanos + " ns");
        say(other, expected.slice(LONG / 2, LONG / 2));
        other.assertHears("ok");
        lab.assertNoProblem();
    }

    /** A request is its length, how it is to be handled, and bytes, which are the reply. */
    private static ConnectionHandler echo() {
        return (data, exchange) -> {
            if (data.remaining() < 5 || data.remaining() < data.getInt(0)) {
                exchange.awaitMore();
                return;
            }
            int length = data.getInt(0);
            byte way = data.get(4);
            ByteBuffer copy = ByteBuffer.allocate(length).put(0, data, 0, length);
            data.position(length);
            switch (way) {
                case 0 -> ServerLab.echoConsumed(data, exchange);
                case 1 -> exchange.send(copy);
                default -> {
                    Reply later = exchange.defer();
                    THREADS.execute(() -> later.send(copy));
                }
            }
        };
    }

    @EachMechanism
    void requestsOfAllLengthsAreAnsweredInEveryWay(ServerLab lab) throws Exception {
        int most = 400_000;
        lab.serve(lab.anywhere(() -> echo()).maxRequest(most));
        List<Job<Boolean>> talks = new ArrayList<>();
        for (int k = 0; k < 4; k++) {
            Random random = new Random(k);
            Client client = lab.client();
            talks.add(lab.start(() -> {
                for (int i = 0; i < 30; i++) {
                    int length = 5 + random.nextInt(i % 2 == 0 ? 1000 : most - 5);
                    ByteBuffer request = pattern(length, i).putInt(0, length).put(4, (byte) random.nextInt(3));
                    THREADS.execute(() -> say(client, request.duplicate()));
                    assertEquals(-1, hear(client, length).mismatch(request));
                }
                return true;
            }));
        }
        for (Job<Boolean> each : talks) {
            assertTrue(each.result());
        }
        lab.assertNoProblem();
    }

    /** They arrive together, so what follows a long one has been received with it. */
    @EachMechanism
    void whatFollowsALongRequestIsNotLost(ServerLab lab) throws Exception {
        lab.serve(lab.anywhere(() -> echo()).maxRequest(LONG));
        Client client = lab.client();
        int[] lengths = {200_000, 7, 90_000, 70_000, 300_000, 5, 1_000_000, 3_000_000, 6};
        Job<Boolean> speaker = lab.start(() -> {
            for (int i = 0; i < lengths.length; i++) {
                say(client, pattern(lengths[i], i).putInt(0, lengths[i]).put(4, (byte) (i % 3)));
            }
            return true;
        });
        for (int i = 0; i < lengths.length; i++) {
            ByteBuffer expected = pattern(lengths[i], i).putInt(0, lengths[i]).put(4, (byte) (i % 3));
            assertEquals(-1, hear(client, lengths[i]).mismatch(expected));
        }
        assertTrue(speaker.result());
    }

    @EachMechanism
    void theSlowPathGetsAllOfALongRequest(ServerLab lab) throws Exception {
        int length = 500_000;
        ByteBuffer request = pattern(length, 3);
        lab.serve(lab.anywhere(() -> (data, exchange) -> {
            if (data.remaining() == length) {
                exchange.handOver();
            }
        }).maxRequest(length).slowPath((channel, unread) -> {
            while (unread.hasRemaining()) {
                channel.write(unread);
            }
            channel.close();
        }, THREADS));
        Client client = lab.client();
        say(client, request.duplicate());
        assertEquals(-1, hear(client, length).mismatch(request));
        client.assertIsClosed();
    }
}
