// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.internal.tls.BufferPool;
import dev.pollux.internal.tls.TlsChannel;
import dev.pollux.internal.tls.TlsLab;
import dev.pollux.internal.tls.TlsStream;
import dev.pollux.lab.Job;
import dev.pollux.server.ConnectTest.Events;
import dev.pollux.server.ServerErrorHandler.Place;
import dev.pollux.server.ServerLab.Client;
import dev.pollux.server.ServerLab.Problem;
import java.io.IOException;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.Tag;

/** How connections by TLS end. */
class TlsClosingTest {
    private static final int ALERT = 21;

    /** With more, the client answers a change of keys, which makes a reset of the end: the server does not read it. */
    private static final int LARGE = 900_000;

    private static StreamServerBuilder secure(ServerLab lab, ConnectionHandler handler) throws Exception {
        return lab.anywhere(() -> handler).tls(TlsLab.context(true));
    }

    /** A client that throws an SSLException if the stream ends without close_notify. */
    private static Client strictClient(ServerLab lab, String protocol) throws Exception {
        SSLEngine engine = TlsClient.clientEngine();
        engine.setEnabledProtocols(new String[] {protocol});
        SocketChannel channel = SocketChannel.open(lab.server().address());
        return lab.opened(new Client(new TlsChannel(channel, new TlsStream(engine, new BufferPool()))));
    }

    private static void assertSslFailed(ServerLab lab, int failures) throws Exception {
        Problem problem = lab.problem();
        assertEquals(Place.CONNECTION, problem.place());
        assertInstanceOf(SSLException.class, problem.error());
        lab.until(counts -> counts.closedFailed() == failures && counts.open() == 0);
        lab.assertNoProblem();
    }

    @EachMechanism
    void theClientHearsOfTheEnd(ServerLab lab) throws Exception {
        lab.serve(secure(lab, (data, exchange) -> {
            ServerLab.echo(data, exchange);
            exchange.close();
        }));
        for (String protocol : TlsClient.PROTOCOLS) {
            Client client = strictClient(lab, protocol);
            client.say("last");
            assertEquals("last", client.hear(5));
            lab.until(counts -> counts.open() == 0);
        }
        lab.assertNoProblem();
        lab.until(counts -> counts.closedByHandler() == 2);
    }

    @EachMechanism
    void theClientHearsOfWhatIsLargeBeforeTheEnd(ServerLab lab) throws Exception {
        ByteBuffer large = ByteBuffer.allocate(LARGE);
        lab.serve(secure(lab, (data, exchange) -> {
            ServerLab.skip(data);
            exchange.send(large);
            exchange.close();
        }));
        for (String protocol : TlsClient.PROTOCOLS) {
            Client client = strictClient(lab, protocol);
            client.say("?");
            assertEquals(large.capacity(), client.hear(large.capacity() + 1).length());
        }
        lab.until(counts -> counts.open() == 0);
        lab.assertNoProblem();
    }

    @EachMechanism
    void theClientsEndIsHeardOf(ServerLab lab) throws Exception {
        for (String protocol : TlsClient.PROTOCOLS) {
            Events recorder = new Events() {
                @Override
                public void onEnd(Exchange exchange) {
                    super.onEnd(exchange);
                    exchange.send(ServerLab.bytes("bye"));
                    exchange.close();
                }
            };
            lab.serve(secure(lab, recorder));
            TlsClient client = TlsClient.of(lab, protocol);
            client.say("x");
            recorder.assertNext("open");
            recorder.assertNext("x");
            client.socket.shutdownOutput();
            if (protocol.equals("TLSv1.3")) { // before, there is no half of a connection
                client.assertHears("bye");
            }
            client.assertIsAtEnd();
            recorder.assertNext("end");
            recorder.assertLast(CloseReason.PEER);
            lab.assertNoProblem();
        }
    }

    /** Whatever happens on a connection that may still send. */
    @EachMechanism
    void theClientsEndIsHeardOfOnce(ServerLab lab) throws Exception {
        BlockingQueue<Connection> connections = new LinkedBlockingQueue<>();
        Events recorder = new Events() {
            @Override
            public void onOpen(Exchange exchange) {
                super.onOpen(exchange);
                connections.add(exchange.connection());
            }
        };
        lab.serve(secure(lab, recorder));
        TlsClient client = TlsClient.of(lab, "TLSv1.3");
        client.say("x");
        recorder.assertNext("open");
        recorder.assertNext("x");
        Connection connection = connections.take();
        client.socket.shutdownOutput();
        recorder.assertNext("end");
        connection.pause();
        connection.send(ServerLab.bytes("a"));
        client.assertHears("a");
        connection.resume();
        connection.send(ServerLab.bytes("b"));
        client.assertHears("b");
        connection.pause();
        connection.resume();
        connection.send(ServerLab.bytes("c"));
        client.assertHears("c");
        connection.close();
        client.assertIsAtEnd();
        recorder.assertLast(CloseReason.CLOSED);
        lab.assertNoProblem();
    }

    /** What the handler has left of it comes no more. */
    @EachMechanism
    void theEndComesAfterHalfARequest(ServerLab lab) throws Exception {
        for (String protocol : TlsClient.PROTOCOLS) {
            Events recorder = new Events() {
                @Override
                public void onData(ByteBuffer data, Exchange exchange) {
                    super.onData(data, exchange);
                    exchange.awaitMore();
                }
            };
            lab.serve(secure(lab, recorder));
            TlsClient client = TlsClient.of(lab, protocol);
            client.say("half");
            recorder.assertNext("open");
            recorder.assertNext("half");
            client.socket.shutdownOutput();
            recorder.assertNext("end");
            client.close();
            lab.server().close();
            lab.assertNoProblem();
        }
    }

    /** A record for each request, the last ones with close_notify behind them, and the end of the TCP stream. */
    @EachMechanism
    void whatCameBeforeTheEndIsAnswered(ServerLab lab) throws Exception {
        BlockingQueue<Reply> owed = new LinkedBlockingQueue<>();
        lab.serve(secure(lab, (data, exchange) -> {
            ServerLab.letter(data);
            owed.add(exchange.defer());
        }));
        TlsClient client = TlsClient.of(lab, "TLSv1.3");
        for (int i = 0; i < 10; i++) {
            client.say("?");
        }
        client.socket.shutdownOutput(); // of TCP too
        for (int i = 0; i < 10; i++) {
            Reply reply = owed.poll(ServerLab.PATIENCE, TimeUnit.NANOSECONDS);
            assertTrue(reply != null, "after " + i);
            reply.send(ServerLab.bytes("!"));
        }
        client.assertHears("!!!!!!!!!!");
        client.assertIsAtEnd();
        lab.until(counts -> counts.closedByPeer() == 1);
        lab.assertNoProblem();
    }

    @EachMechanism
    void anEndWithoutNoticeIsAFailure(ServerLab lab) throws Exception {
        for (String protocol : TlsClient.PROTOCOLS) {
            Events recorder = new Events();
            lab.serve(secure(lab, recorder));
            TlsClient client = TlsClient.of(lab, protocol);
            client.say("x");
            recorder.assertNext("open");
            recorder.assertNext("x");
            client.tcp.shutdownOutput();
            recorder.assertLast(CloseReason.FAILED);
            assertSslFailed(lab, 1);
        }
    }

    /** The end comes while a reply is owed. */
    @EachMechanism
    void soItIsBehindRequests(ServerLab lab) throws Exception {
        BlockingQueue<Reply> owed = new LinkedBlockingQueue<>();
        lab.serve(secure(lab, (data, exchange) -> {
            ServerLab.letter(data);
            owed.add(exchange.defer());
        }));
        TlsClient client = TlsClient.of(lab, "TLSv1.3");
        client.say("?");
        client.say("?");
        client.tcp.shutdownOutput();
        for (Reply reply = owed.take(); reply != null; reply = owed.poll(50, TimeUnit.MILLISECONDS)) {
            reply.send(ServerLab.bytes("!"));
        }
        assertSslFailed(lab, 1);
    }

    @EachMechanism
    void whoSpeaksPlainTextGetsAnAlert(ServerLab lab) throws Exception {
        lab.serve(secure(lab, ServerLab::echo));
        Client client = lab.client();
        client.say("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
        assertEquals(ALERT, client.hear(1).charAt(0));
        client.hear(1000);
        assertSslFailed(lab, 1);
    }

    @EachMechanism
    void aCertificateThatIsMissingIsAFailure(ServerLab lab) throws Exception {
        lab.serve(lab.anywhere(() -> ServerLab::echo).tls(() -> {
            SSLEngine engine = TlsClient.serverEngine();
            engine.setNeedClientAuth(true);
            return engine;
        }, task -> new Thread(task).start()));
        int failures = 0;
        for (String protocol : TlsClient.PROTOCOLS) {
            TlsClient client = lab.opened(new TlsClient(lab.server().address(), protocol, false));
            assertThrows(IOException.class, () -> {
                client.say("x");
                client.assertHears("x");
            });
            assertSslFailed(lab, ++failures);
        }
    }

    @EachMechanism
    void aHandshakeHasTheIdleTimeout(ServerLab lab) throws Exception {
        lab.serve(secure(lab, ServerLab::echo).idleTimeout(Duration.ofMillis(100)));
        lab.client().hear(1000); // an alert, and the end
        lab.until(counts -> counts.closedFailed() == 1 && counts.open() == 0);
        assertTrue(lab.problem().error().getMessage().contains("HANDSHAKE"));
        lab.assertNoProblem();
    }

    @EachMechanism
    void aGracefulCloseSendsWhatIsOwed(ServerLab lab) throws Exception {
        for (String protocol : TlsClient.PROTOCOLS) {
            BlockingQueue<Reply> owed = new LinkedBlockingQueue<>();
            StreamServer server = lab.serve(secure(lab, (data, exchange) -> {
                ServerLab.skip(data);
                owed.add(exchange.defer());
            }));
            Client client = strictClient(lab, protocol);
            client.say("?");
            Reply reply = owed.take();
            Client silent = lab.client();
            lab.until(counts -> counts.open() == 2);
            Job<Void> closing = lab.start(() -> {
                server.close(20, TimeUnit.SECONDS);
                return null;
            });
            lab.until(counts -> counts.open() == 1);
            reply.send(ServerLab.bytes("!"));
            assertEquals("!", client.hear(2));
            closing.result();
            silent.close();
        }
        lab.assertNoProblem();
    }

    /** Much waits to be sent, and can't be any more. */
    @EachMechanism
    @Tag("load")
    void aResetEndsWhatIsNotRead(ServerLab lab) throws Exception {
        ByteBuffer piece = ByteBuffer.allocate(1 << 16);
        Events recorder = new Events() {
            @Override
            public void onData(ByteBuffer data, Exchange exchange) {
                super.onData(data, exchange);
                for (int i = 0; i < 50; i++) {
                    exchange.connection().send(piece);
                }
            }
        };
        for (String protocol : TlsClient.PROTOCOLS) {
            lab.serve(secure(lab, recorder).maxPending(16 << 20));
            TlsClient client = TlsClient.of(lab, protocol);
            client.say("?");
            recorder.assertNext("open");
            recorder.assertNext("?");
            for (int i = 0; i < 4; i++) { // what can't be on its way yet waits
                client.say("?");
                recorder.assertNext("?");
            }
            assertEquals(1000, client.hear(1000).length());
            client.tcp.setSoLinger(true, 0);
            client.tcp.close();
            recorder.assertLast(CloseReason.FAILED);
            lab.until(counts -> counts.open() == 0);
            lab.assertNoProblemBut(Place.CONNECTION);
        }
    }

    /** What was accepted is lost: it must not look as if there had been nothing. */
    @EachMechanism
    void anAbortWithBytesThatWaitIsAReset(ServerLab lab) throws Exception {
        lab.serve(secure(lab, (data, exchange) -> {
            ServerLab.skip(data);
            exchange.connection().send(ServerLab.bytes("lost"));
            exchange.connection().abort();
        }));
        for (String protocol : TlsClient.PROTOCOLS) {
            TlsClient client = TlsClient.of(lab, protocol);
            client.say("?");
            assertThrows(SocketException.class, () -> client.hear(1)); // which takes a mere end for one
            lab.until(counts -> counts.open() == 0);
        }
        lab.assertNoProblem();
    }

    private static void assertLoopGoesOn(ServerLab lab, Supplier<SSLEngine> engines, Executor threads,
            boolean[] fails) throws Exception {
        lab.serve(lab.anywhere(() -> ServerLab::echo).tls(engines, threads));
        fails[0] = true;
        Client client = lab.client();
        client.say("\26\3\1"); // a record's beginning
        TlsClient other = TlsClient.of(lab, "TLSv1.3");
        assertThrows(IOException.class, () -> {
            other.say("x");
            other.assertHears("x");
        });
        assertEquals(Place.CONNECTION, lab.problem().place());
        client.close();
        lab.until(counts -> counts.accepted() == 2 && counts.open() == 0);
        fails[0] = false;
        TlsClient last = TlsClient.of(lab, "TLSv1.3");
        last.say("x");
        last.assertHears("x");
        lab.assertNoProblemBut(Place.CONNECTION);
    }

    @EachMechanism
    void anExecutorMayRefuse(ServerLab lab) throws Exception {
        boolean[] fails = {false};
        assertLoopGoesOn(lab, TlsClient::serverEngine, task -> {
            if (fails[0]) {
                throw new RejectedExecutionException("on purpose");
            }
            task.run();
        }, fails);
    }

    @EachMechanism
    void theApplicationsEnginesMayFail(ServerLab lab) throws Exception {
        for (Throwable error : new Throwable[] {new IllegalStateException("on purpose"),
            new AssertionError("on purpose")}) {
            boolean[] fails = {false};
            assertLoopGoesOn(lab, () -> {
                if (fails[0]) {
                    throwUnchecked(error);
                }
                return TlsClient.serverEngine();
            }, Runnable::run, fails);
        }
    }

    private static void throwUnchecked(Throwable error) {
        if (error instanceof RuntimeException e) {
            throw e;
        }
        throw (Error) error;
    }
}
