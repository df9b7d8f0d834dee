// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.internal.tls.BufferPool;
import dev.pollux.internal.tls.FailingPool;
import dev.pollux.internal.tls.TlsChannel;
import dev.pollux.internal.tls.TlsStream;
import dev.pollux.server.ServerErrorHandler.Place;
import dev.pollux.server.ServerLab.Client;
import dev.pollux.server.ServerLab.Problem;
import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import javax.net.ssl.SSLEngine;
import org.junit.jupiter.api.Tag;

/** Engines that throw what they may not, and a lack of memory: each ends its own connection, and is told. */
class TlsFailureTest {
    private static final Executor THREADS = task -> new Thread(task).start();
    private static final int NEIGHBOURS = 10;

    /** Has the middle of what a client is answered. */
    private static final String LONG = "y".repeat(50_000);

    /** Answers letters; "y" by many, "q" ends the connection. */
    private static void answer(ByteBuffer data, Exchange exchange) {
        char letter = ServerLab.letter(data);
        exchange.send(ServerLab.bytes(letter == 'y' ? LONG : String.valueOf(letter)));
        if (letter == 'q') {
            exchange.close();
        }
    }

    /** A client that throws an SSLException if the stream ends without close_notify. */
    private static Client client(ServerLab lab, String protocol) throws Exception {
        SSLEngine engine = TlsClient.clientEngine();
        engine.setEnabledProtocols(new String[] {protocol});
        SocketChannel channel = SocketChannel.open(lab.server().address());
        return new Client(new TlsChannel(channel, new TlsStream(engine, new BufferPool())));
    }

    /** Says all there is to say. What it gets is right, and if it ends as it should, nothing is missing. */
    private static void converse(ServerLab lab, String protocol) throws Exception {
        String expected = "x" + LONG + "zq";
        try (Client client = client(lab, protocol)) {
            StringBuilder heard = new StringBuilder();
            try {
                client.say("x");
                heard.append(client.hear(1));
                client.say("yz");
                heard.append(client.hear(LONG.length() + 1));
                client.say("q");
                heard.append(client.hear(2));
            } catch (IOException e) {
                assertTrue(expected.startsWith(heard.toString()));
                return;
            }
            assertEquals(expected, heard.toString());
        }
    }

    private static List<Client> neighbours(ServerLab lab) throws Exception {
        List<Client> neighbours = new ArrayList<>();
        for (int i = 0; i < NEIGHBOURS; i++) {
            neighbours.add(lab.opened(client(lab, TlsClient.PROTOCOLS[i % 2])));
        }
        assertAreServed(neighbours);
        return neighbours;
    }

    private static void assertAreServed(List<Client> neighbours) throws IOException {
        for (Client each : neighbours) {
            each.say("n");
            each.assertHears("n");
        }
    }

    private static Throwable rootOf(Throwable error) {
        return error.getCause() == null ? error : rootOf(error.getCause());
    }

    private static void awaitOthersEnd(ServerLab lab, int others) throws InterruptedException {
        lab.until(counts -> counts.accepted() == NEIGHBOURS + others && counts.open() == NEIGHBOURS);
    }

    @EachMechanism
    void aClientMayNotNegotiateAgainAndOthersGoOn(ServerLab lab) throws Exception {
        lab.serve(lab.anywhere(() -> TlsFailureTest::answer).tls(TlsClient::serverEngine, THREADS));
        List<Client> neighbours = neighbours(lab);
        TlsClient client = TlsClient.of(lab, "TLSv1.2");
        client.say("x");
        client.assertHears("x");
        client.socket.startHandshake();
        assertThrows(IOException.class, () -> client.hear(1), "no close_notify: something may be missing");
        Problem problem = lab.problem();
        assertTrue(problem.error().getMessage().contains("renegotiation"), problem::toString);
        assertEquals(1, lab.until(counts -> counts.open() == NEIGHBOURS).closedFailed());
        assertAreServed(neighbours);
    }

    private static void assertEnginesMayFail(ServerLab lab, Executor threads, boolean recovers, String... protocols)
            throws Exception {
        AtomicReference<Supplier<SSLEngine>> engines = new AtomicReference<>(TlsClient::serverEngine);
        lab.serve(lab.anywhere(() -> TlsFailureTest::answer).tls(() -> engines.get().get(), threads));
        List<Client> neighbours = neighbours(lab);
        int others = 0;
        for (String protocol : protocols) {
            for (FailingEngine.Method method : FailingEngine.Method.values()) {
                boolean fails = true;
                for (int n = 1; fails; n++) {
                    String text = "on purpose: " + method + n;
                    Throwable thrown = recovers ? new IllegalStateException(text) : new AssertionError(text);
                    FailingEngine engine =
                            new FailingEngine(TlsClient.serverEngine(), Set.of(method), n, recovers, thrown);
                    engines.set(() -> engine);
                    converse(lab, protocol);
                    awaitOthersEnd(lab, ++others);
                    fails = engine.failed.get() != null;
                    if (fails) {
                        Problem problem = lab.problem();
                        assertEquals(Place.CONNECTION, problem.place());
                        assertSame(thrown, rootOf(problem.error()));
                    }
                    lab.assertNoProblem();
                }
                assertAreServed(neighbours);
            }
        }
    }

    @Tag("load")
    @EachMechanism
    void anEngineThatThrowsOnceEndsItsConnection(ServerLab lab) throws Exception {
        assertEnginesMayFail(lab, Runnable::run, true, TlsClient.PROTOCOLS);
    }

    @Tag("load")
    @EachMechanism
    void soDoesOneThatThrowsAgain(ServerLab lab) throws Exception {
        assertEnginesMayFail(lab, THREADS, false, "TLSv1.3");
    }

    /** From now on, a connection takes its memory there. */
    private static void setPool(Connection connection, BufferPool pool) {
        try {
            Object tls = field(connection.getClass(), "outbound").get(connection);
            field(TlsStream.class, "buffers").set(field(tls.getClass(), "stream").get(tls), pool);
            field(tls.getClass(), "memory").set(tls, pool);
            field(connection.getClass(), "memory").set(connection, pool);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    private static Field field(Class<?> type, String name) throws NoSuchFieldException {
        Field field = type.getDeclaredField(name);
        field.setAccessible(true);
        return field;
    }

    /** Answers "x" by memory that is short from then on. */
    private static void failMemory(ServerLab lab, boolean recovers) throws Exception {
        AtomicReference<FailingPool> pool = new AtomicReference<>();
        lab.serve(lab.anywhere(() -> (data, exchange) -> {
            if (data.get(data.position()) == 'x') {
                setPool(exchange.connection(), pool.get());
            }
            answer(data, exchange);
        }).tls(TlsClient::serverEngine, Runnable::run));
        List<Client> neighbours = neighbours(lab);
        int others = 0;
        for (String protocol : TlsClient.PROTOCOLS) {
            boolean fails = true;
            for (int n = 1; fails; n++) {
                FailingPool next = new FailingPool(n, recovers);
                pool.set(next);
                converse(lab, protocol);
                awaitOthersEnd(lab, ++others);
                fails = next.hasFailed();
                if (fails) {
                    Problem problem = lab.problem();
                    assertEquals(Place.CONNECTION, problem.place());
                    assertInstanceOf(OutOfMemoryError.class, rootOf(problem.error()));
                }
                lab.assertNoProblem();
                assertEquals(0, next.out(), "buffers that are lost");
            }
            assertAreServed(neighbours);
        }
        assertTrue(others > 2);
    }

    @Tag("load")
    @EachMechanism
    void aLackOfMemoryForAMomentEndsOneConnection(ServerLab lab) throws Exception {
        failMemory(lab, true);
    }

    @Tag("load")
    @EachMechanism
    void soDoesALackThatStays(ServerLab lab) throws Exception {
        failMemory(lab, false);
    }

    /** Nothing was sent before: the end must not look as if there were nothing to send. */
    @EachMechanism
    void aReplyThatIsLostEndsByAReset(ServerLab lab) throws Exception {
        AtomicInteger calls = new AtomicInteger();
        lab.serve(lab.anywhere(() -> (data, exchange) -> {
            ServerLab.skip(data);
            setPool(exchange.connection(), new FailingPool(1, true));
            calls.incrementAndGet();
            exchange.send(ServerLab.bytes("lost"));
        }).tls(TlsClient::serverEngine, Runnable::run));
        for (String protocol : TlsClient.PROTOCOLS) {
            TlsClient client = TlsClient.of(lab, protocol);
            client.say("?");
            // which does not notice that close_notify is missing
            IOException reset = assertThrows(IOException.class, () -> client.hear(1));
            assertTrue(rootOf(reset).getMessage().contains("reset"), reset::toString);
            assertInstanceOf(OutOfMemoryError.class, rootOf(lab.problem().error()));
        }
        assertEquals(2, calls.get());
    }
}
