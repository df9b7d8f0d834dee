// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.server.ServerErrorHandler.Place;
import dev.pollux.server.ServerLab.Problem;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.Tag;

/**
 * What a program supplies fails at the nth call, for each n, whatever the loop does then. The connection fails, and ten
 * others of the same loop do not notice.
 */
class OneFailureTest {
    private static final int OTHERS = 10;

    private static final List<Throwable> THROWN = List.of(new IllegalStateException("on purpose"),
            new IOException("on purpose, and not declared"), new OutOfMemoryError("on purpose"),
            new StackOverflowError("on purpose"), new AssertionError("on purpose"));

    private final AtomicReference<UnaryOperator<SSLEngine>> engines = new AtomicReference<>(UnaryOperator.identity());
    private final BlockingQueue<Problem> told = new LinkedBlockingQueue<>();
    private final BlockingQueue<CloseReason> closed = new LinkedBlockingQueue<>();

    /** Echoes, half of it by another thread during the call; "c" also closes, "s" shuts its output down. */
    private final class Echo implements ConnectionHandler {
        @Override
        public void onData(ByteBuffer data, Exchange exchange) throws Exception {
            char letter = (char) data.get(data.position());
            Connection connection = exchange.connection();
            exchange.send(data.duplicate());
            ByteBuffer copy = ByteBuffer.allocate(data.remaining()).put(data).flip();
            Thread beside = new Thread(() -> connection.send(copy));
            beside.start();
            beside.join();
            if (letter == 'c') {
                exchange.close();
            } else if (letter == 's') {
                connection.shutdownOutput();
            }
        }

        @Override
        public void onClose(Exchange exchange, CloseReason reason) {
            closed.add(reason);
        }
    }

    private void serve(ServerLab lab) throws Exception {
        lab.serve(lab.anywhere(Echo::new).tls(() -> engines.get().apply(TlsClient.serverEngine()), Runnable::run)
                .onError((place, error, peer) -> told.add(new Problem(place, error, peer))));
    }

    private Problem problem() throws InterruptedException {
        return told.poll(ServerLab.PATIENCE, TimeUnit.NANOSECONDS);
    }

    /** All have something in the same rounds: two of them with one buffer would get each other's bytes. */
    private static void assertAreServed(List<TlsClient> clients) throws IOException {
        for (int i = 0; i < clients.size(); i++) {
            clients.get(i).say("this is " + i);
        }
        for (int i = 0; i < clients.size(); i++) {
            clients.get(i).assertHears(("this is " + i).repeat(2));
        }
    }

    private static List<TlsClient> others(ServerLab lab) throws Exception {
        List<TlsClient> others = new ArrayList<>();
        for (int i = 0; i < OTHERS; i++) {
            others.add(TlsClient.of(lab, TlsClient.PROTOCOLS[i % 2]));
        }
        assertAreServed(others);
        return others;
    }

    /** What one connection does from its beginning to its end; it may fail anywhere. */
    private static void live(ServerLab lab, String protocol, String last) throws Exception {
        try (TlsClient client = new TlsClient(lab.server().address(), protocol, true)) {
            client.say("xyz");
            client.hear(6);
            client.say(last);
            client.hear(3);
            client.socket.close();
        } catch (IOException e) {
            // it has failed
        }
    }

    /** What an engine may not throw is the cause of what is told. */
    private static Throwable thrownBy(Problem problem) {
        Throwable error = problem.error();
        return error instanceof SSLException && error.getCause() != null ? error.getCause() : error;
    }

    /** Whether that connection has got as far as its nth call. */
    private boolean failsAt(ServerLab lab, int n, String protocol, String last, Throwable thrown) throws Exception {
        AtomicReference<FailingEngine> made = new AtomicReference<>();
        engines.set(engine -> {
            made.set(new FailingEngine(engine, n, thrown));
            return made.get();
        });
        live(lab, protocol, last);
        lab.until(counts -> counts.open() == OTHERS);
        engines.set(UnaryOperator.identity());
        FailingEngine.Method failed = made.get().failed.get();
        String call = String.valueOf(failed);
        assertEquals(failed == null, told.isEmpty(), call);
        for (Problem each : told) { // it may be told twice: of the handler, and of what follows
            assertSame(thrown, thrownBy(each), call);
            assertNotEquals(Place.LOOP, each.place(), call);
        }
        told.clear();
        return failed != null;
    }

    private void assertEachCallHarmsItsConnectionOnly(ServerLab lab, String protocol, String last) throws Exception {
        serve(lab);
        List<TlsClient> others = others(lab);
        int n = 1;
        while (failsAt(lab, n, protocol, last, THROWN.get(n % THROWN.size()))) {
            assertAreServed(others);
            n++;
        }
        assertTrue(n > 10, "calls of the engine: " + n);
        assertAreServed(others);
        lab.server().close();
    }

    @Tag("load")
    @EachMechanism
    void anEngineFailsAtEachOfItsCalls(ServerLab lab) throws Exception {
        for (String protocol : TlsClient.PROTOCOLS) {
            assertEachCallHarmsItsConnectionOnly(lab, protocol, "c");
            assertEachCallHarmsItsConnectionOnly(lab, protocol, "s");
        }
    }

    /** The handler hears of the failure, though it has asked for the end before. */
    @EachMechanism
    @Tag("load")
    void anEngineThatCannotEndIsAFailure(ServerLab lab) throws Exception {
        serve(lab);
        List<TlsClient> others = others(lab);
        for (Throwable thrown : THROWN) {
            AtomicReference<FailingEngine> made = new AtomicReference<>();
            engines.set(engine -> {
                made.set(new FailingEngine(engine, Integer.MAX_VALUE, thrown) {
                    @Override
                    public void closeOutbound() {
                        FailingEngine.<RuntimeException>throwUnchecked(thrown);
                    }
                });
                return made.get();
            });
            live(lab, "TLSv1.3", "c");
            Problem problem = problem();
            assertEquals(Place.CONNECTION, problem.place());
            assertSame(thrown, thrownBy(problem));
            assertEquals(CloseReason.FAILED, closed.poll(ServerLab.PATIENCE, TimeUnit.NANOSECONDS));
            engines.set(UnaryOperator.identity());
            lab.until(counts -> counts.open() == OTHERS);
            assertAreServed(others);
        }
        assertEquals(0, told.size());
    }

    @EachMechanism
    @Tag("load")
    void aSupplierOfEnginesFailsAtEachOfItsCalls(ServerLab lab) throws Exception {
        serve(lab);
        List<TlsClient> others = others(lab);
        for (Throwable thrown : THROWN) {
            engines.set(engine -> {
                FailingEngine.<RuntimeException>throwUnchecked(thrown);
                return engine;
            });
            live(lab, "TLSv1.3", "c");
            Problem problem = problem();
            assertEquals(Place.CONNECTION, problem.place());
            assertSame(thrown, thrownBy(problem));
            engines.set(UnaryOperator.identity());
            assertAreServed(others);
        }
        lab.until(counts -> counts.open() == OTHERS && counts.closedFailed() == THROWN.size());
        assertEquals(0, told.size());
    }
}
