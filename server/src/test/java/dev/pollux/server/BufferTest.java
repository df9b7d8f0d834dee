// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.server.ServerErrorHandler.Place;
import dev.pollux.server.ServerLab.Client;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;

/** What a handler can do to the buffer that it is given, and what it can't. */
class BufferTest {

    /** The first byte of requests to which {@link Vandal} does not do anything strange: they are echoed. */
    private static final char HONEST = '=';

    private static final int REQUESTS = 3000;

    @EachMechanism
    void itBeginsAndEndsWithItsBytes(ServerLab lab) throws Exception {
        lab.serve(() -> (data, exchange) -> {
            assertEquals(0, data.position());
            assertEquals(data.capacity(), data.limit());
            data.mark().get();
            exchange.send(ServerLab.bytes(Integer.toString(data.capacity())));
        });
        Client client = lab.client();
        client.say("abc");
        client.assertHears("321");
        client.say("d".repeat(100));
        client.assertHears("1009998979695949392919089888786858483828180");
        lab.assertNoProblem();
    }

    @EachMechanism
    void itEndsWithItsBytesWhereverTheyAre(ServerLab lab) throws Exception {
        lab.serve(() -> (data, exchange) -> {
            assertThrows(IllegalArgumentException.class, () -> data.limit(data.limit() + 1));
            assertThrows(IndexOutOfBoundsException.class, () -> data.put(data.limit(), (byte) '!'));
            assertEquals(data.limit(), data.clear().remaining());
            if (data.get(data.limit() - 1) == '.') {
                ServerLab.echo(data, exchange);
            }
        });
        Client client = lab.client();
        Client other = lab.client();
        Random random = new Random(1);
        for (int i = 0; i < 300; i++) {
            String text = String.valueOf((char) ('a' + i % 26)).repeat(1 + random.nextInt(i % 10 == 0 ? 60_000 : 300));
            client.say(text);
            other.say(text);
            client.say(".");
            other.say(".");
            client.assertHears(text + '.');
            other.assertHears(text + '.');
        }
        lab.assertNoProblem();
    }

    @EachMechanism
    void anEchoBeforeIsOutOfReach(ServerLab lab) throws Exception {
        lab.serve(() -> (data, exchange) -> {
            data.get();
            if (data.get(0) == '2') {
                data.duplicate().clear().put((byte) '#').put(data);
                data.position(1);
            }
            ServerLab.echoConsumed(data, exchange);
        });
        Client client = lab.client();
        client.say("1123");
        client.assertHears("11#3");
    }

    @EachMechanism
    void bytesThatAreToComeAgainAreThoseOfTheRequest(ServerLab lab) throws Exception {
        lab.serve(() -> (data, exchange) -> {
            if (data.get(data.limit() - 1) == '.') {
                ServerLab.echo(data, exchange);
                return;
            }
            data.get();
            data.compact().limit(0); // wherever its position and its limit are
            exchange.awaitMore();
        });
        Client client = lab.client();
        client.say("abc");
        lab.until(counts -> counts.incomplete() == 1);
        client.say("d.");
        client.assertHears("bccd.");
    }

    /** Does something at random to its buffer, and asks for something at random. */
    private static final class Vandal implements ConnectionHandler {
        private final Random random;
        private final boolean writesLater;
        private final List<ByteBuffer> kept = new ArrayList<>();

        Vandal(long seed, boolean writesLater) {
            random = new Random(seed);
            this.writesLater = writesLater;
        }

        @Override
        public void onData(ByteBuffer data, Exchange exchange) {
            if (!writesLater && data.get(0) == HONEST) {
                if (data.limit() >= 4) {
                    ServerLab.echoConsumed(data.position(4), exchange);
                }
                return;
            }
            for (int n = random.nextInt(6); n > 0; n--) {
                spoil(random.nextInt(4) == 0 ? part(data) : data);
            }
            if (writesLater && !kept.isEmpty()) {
                fill(kept.get(random.nextInt(kept.size())));
            }
            kept.add(part(data));
            if (kept.size() > 100) {
                kept.remove(random.nextInt(kept.size()));
            }
            if (random.nextInt(20) == 0) {
                exchange.close();
            }
            if (random.nextBoolean()) {
                data.clear().position(1 + upTo(data.capacity() - 1));
            }
            for (int n = random.nextInt(4); n > 0; n--) {
                reply(data, exchange);
            }
        }

        private int upTo(int most) {
            return random.nextInt(most + 1);
        }

        private ByteBuffer part(ByteBuffer data) {
            return switch (random.nextInt(4)) {
                case 0 -> data.slice();
                case 1 -> data.duplicate();
                case 2 -> data.asReadOnlyBuffer();
                default -> {
                    int at = upTo(data.limit());
                    yield data.slice(at, upTo(data.limit() - at));
                }
            };
        }

        private void fill(ByteBuffer bytes) {
            if (!bytes.isReadOnly()) {
                bytes.clear();
                while (bytes.hasRemaining()) {
                    bytes.put((byte) random.nextInt());
                }
            }
        }

        private void spoil(ByteBuffer data) {
            switch (random.nextInt(10)) {
                case 0 -> data.clear();
                case 1 -> data.flip();
                case 2 -> data.rewind();
                case 3 -> data.limit(upTo(data.capacity()));
                case 4 -> data.position(upTo(data.limit()));
                case 5 -> data.order(ByteOrder.LITTLE_ENDIAN);
                case 6 -> fill(data);
                case 7 -> {
                    if (!data.isReadOnly()) {
                        data.compact();
                    }
                }
                case 8 -> data.mark();
                default -> data.limit(data.capacity() + 1 + upTo(1 << 20)); // throws
            }
        }

        private void reply(ByteBuffer data, Exchange exchange) {
            switch (random.nextInt(9)) {
                case 0 -> exchange.awaitMore();
                case 1 -> {
                    if (random.nextInt(10) == 0) {
                        exchange.handOver();
                    }
                }
                case 2 -> exchange.send(kept.get(random.nextInt(kept.size())));
                case 3 -> exchange.send(part(data));
                case 4 -> exchange.send(ByteBuffer.allocate(upTo(10_000)));
                case 5 -> exchange.send(ByteBuffer.allocateDirect(upTo(1_000_000)));
                case 6 -> exchange.connection().send(part(data));
                case 7 -> {
                    exchange.connection().pause();
                    exchange.connection().resume();
                }
                default -> exchange.send(data);
            }
        }
    }

    /** Asks the vandal for something, and does not mind what becomes of it. */
    private static void provoke(ServerLab lab, Client[] vandals, Random random) throws Exception {
        int which = random.nextInt(vandals.length);
        if (vandals[which] == null) {
            vandals[which] = lab.client();
            vandals[which].channel.configureBlocking(false);
        }
        byte[] request = new byte[1 + random.nextInt(random.nextInt(10) == 0 ? 20_000 : 200)];
        random.nextBytes(request);
        request[0] = '?';
        ByteBuffer room = ByteBuffer.allocate(1 << 16);
        try {
            vandals[which].channel.write(ByteBuffer.wrap(request));
            if (vandals[which].channel.read(room) >= 0) {
                return;
            }
        } catch (IOException e) {
            // a reset
        }
        vandals[which].close();
        vandals[which] = null;
    }

    @Tag("load")
    @EachMechanism
    void whateverAHandlerDoesOtherConnectionsAreServed(ServerLab lab) throws Exception {
        long seed = System.nanoTime();
        lab.serve(lab.anywhere(() -> new Vandal(seed, false)).maxPending(1 << 24));
        Random random = new Random(seed);
        Client[] vandals = new Client[10];
        Client honest = lab.client();
        for (int i = 0; i < REQUESTS; i++) {
            provoke(lab, vandals, random);
            String text = String.format("%c%03d", HONEST, random.nextInt(1000));
            honest.say(text);
            assertEquals(text, honest.hear(text.length()), "seed " + seed);
        }
        assertIsUnharmed(lab, seed);
    }

    /** Also to what it has kept of earlier calls, which it must not. */
    @Tag("load")
    @EachMechanism
    void whateverAHandlerHasKeptTheServerGoesOn(ServerLab lab) throws Exception {
        long seed = System.nanoTime();
        lab.serve(lab.anywhere(() -> new Vandal(seed, true)).maxPending(1 << 24));
        Random random = new Random(seed);
        Client[] vandals = new Client[10];
        for (int i = 0; i < REQUESTS; i++) {
            provoke(lab, vandals, random);
            if (i % 3 == 0) {
                Thread.sleep(1);
            }
        }
        assertIsUnharmed(lab, seed);
    }

    private static void assertIsUnharmed(ServerLab lab, long seed) throws Exception {
        lab.assertNoProblemBut(Place.HANDLER, Place.CONNECTION, Place.SLOW_PATH);
        ServerStatistics counts = lab.until(now -> now.requests() > REQUESTS / 10 && now.open() <= 11);
        String told = counts + ", seed " + seed;
        assertTrue(counts.accepted() <= REQUESTS, told);
        assertTrue(counts.rounds() > 0 && counts.systemCalls() > 0 && counts.systemCalls() < 1L << 40, told);
    }
}
