// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.internal.tls.TlsLab;
import dev.pollux.lab.Job;
import java.io.InputStream;
import java.lang.reflect.Field;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.security.cert.Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Supplier;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import org.junit.jupiter.api.Tag;

/** A server by TLS, and what its clients get. */
class TlsServerTest {
    private static final Executor THREADS = task -> new Thread(task).start();

    /** Echoes a line when it is complete. */
    private static void echoLine(ByteBuffer data, Exchange exchange) {
        while (data.hasRemaining()) {
            if (data.get() == '\n') {
                ServerLab.echoConsumed(data, exchange);
                return;
            }
        }
        exchange.awaitMore();
    }

    private static void serve(ServerLab lab, Supplier<ConnectionHandler> handlers) throws Exception {
        lab.serve(lab.anywhere(handlers).tls(TlsLab.context(true)));
    }

    private static Job<Void> startSaying(ServerLab lab, TlsClient client, byte[] bytes) {
        return lab.start(() -> {
            client.socket.getOutputStream().write(bytes);
            return null;
        });
    }

    @Tag("load")
    @EachMechanism
    void megabytesGoBothWaysAtOnce(ServerLab lab) throws Exception {
        byte[] said = TlsLab.randomBytes(TlsLab.MEGABYTES);
        for (Executor threads : List.<Executor>of(Runnable::run, THREADS)) {
            lab.serve(lab.anywhere(() -> ServerLab::echo).tls(TlsClient::serverEngine, threads));
            for (String protocol : TlsClient.PROTOCOLS) {
                TlsClient client = TlsClient.of(lab, protocol);
                Job<Void> saying = startSaying(lab, client, said);
                assertArrayEquals(said, client.socket.getInputStream().readNBytes(said.length));
                saying.result();
            }
            lab.assertNoProblem();
        }
    }

    @EachMechanism
    void requestsArePipelined(ServerLab lab) throws Exception {
        serve(lab, () -> (data, exchange) -> {
            ServerLab.letter(data);
            ServerLab.echoConsumed(data, exchange);
        });
        String said = "0123456789".repeat(1000);
        for (String protocol : TlsClient.PROTOCOLS) {
            TlsClient client = TlsClient.of(lab, protocol);
            client.say(said);
            client.assertHears(said);
        }
        lab.until(counts -> counts.requests() == 2L * said.length());
    }

    @EachMechanism
    void aRequestComesInRecordsOfOneByte(ServerLab lab) throws Exception {
        serve(lab, () -> TlsServerTest::echoLine);
        for (String protocol : TlsClient.PROTOCOLS) {
            TlsClient client = TlsClient.of(lab, protocol);
            for (int i = 0; i < 3; i++) {
                for (String letter : "a line\n".split("")) {
                    client.say(letter);
                }
                client.assertHears("a line\n");
            }
        }
        lab.assertNoProblem();
    }

    /** What comes from one socket goes to the other one, a byte at a time. */
    private static Void trickle(Socket from, Socket to) throws Exception {
        to.setTcpNoDelay(true);
        InputStream in = from.getInputStream();
        for (int next = in.read(); next >= 0; next = in.read()) {
            to.getOutputStream().write(next);
        }
        to.shutdownOutput();
        return null;
    }

    private static void pass(Socket from, Socket to) throws Exception {
        from.getInputStream().transferTo(to.getOutputStream());
        to.shutdownOutput();
    }

    @EachMechanism
    void recordsComeInSingleBytes(ServerLab lab) throws Exception {
        serve(lab, () -> TlsServerTest::echoLine);
        for (String protocol : TlsClient.PROTOCOLS) {
            ServerSocket listener = lab.opened(new ServerSocket());
            listener.bind(ServerLab.loopback(0));
            Job<Void> proxy = lab.start(() -> {
                try (Socket near = listener.accept(); Socket far = new Socket()) {
                    far.connect(lab.server().address());
                    Job<Void> there = new Job<>(() -> trickle(near, far));
                    pass(far, near);
                    return there.result();
                }
            });
            TlsClient client = TlsClient.of(lab, listener.getLocalSocketAddress(), protocol);
            client.say("a line\nanother line\n");
            client.assertHears("a line\nanother line\n");
            client.socket.close();
            proxy.result();
        }
        lab.assertNoProblem();
    }

    /** Longer than a record, and than what is kept in one place without TLS. */
    @EachMechanism
    void longRequestsComeWhole(ServerLab lab) throws Exception {
        String said = "x".repeat(300_000) + "\n";
        lab.serve(lab.anywhere(() -> TlsServerTest::echoLine).maxRequest(1 << 20).tls(TlsLab.context(true)));
        for (String protocol : TlsClient.PROTOCOLS) {
            TlsClient client = TlsClient.of(lab, protocol);
            for (int i = 0; i < 3; i++) {
                client.say(said);
                client.assertHears(said);
            }
        }
        lab.assertNoProblem();
    }

    @EachMechanism
    void aRequestThatIsTooLongIsRefused(ServerLab lab) throws Exception {
        lab.serve(lab.anywhere(() -> TlsServerTest::echoLine).maxRequest(1000).tls(TlsLab.context(true)));
        for (int i = 0; i < 2; i++) {
            TlsClient client = TlsClient.of(lab, TlsClient.PROTOCOLS[i]);
            client.say("x".repeat(900));
            client.say("\n");
            assertEquals(901, client.hear(901).length());
            client.say("x".repeat(1001));
            client.assertIsAtEnd();
            int refused = i + 1;
            lab.until(counts -> counts.closedTooLong() == refused && counts.open() == 0);
            String message = lab.problem().error().getMessage();
            assertTrue(message.contains("1000"), message);
        }
    }

    @Tag("load")
    @EachMechanism
    void noMoreRequestsAreHandledThanTheirRepliesMayWait(ServerLab lab) throws Exception {
        int maxPending = 1 << 16;
        int length = 1 << 14;
        int asked = 2000;
        Queue<Long> pending = new ConcurrentLinkedQueue<>();
        ByteBuffer reply = ByteBuffer.allocate(length);
        lab.serve(lab.anywhere(() -> (data, exchange) -> {
            pending.add(exchange.connection().pending());
            ServerLab.letter(data);
            exchange.send(reply.duplicate());
        }).maxPending(maxPending).tls(TlsLab.context(true)));
        for (String protocol : TlsClient.PROTOCOLS) {
            TlsClient client = TlsClient.of(lab, protocol);
            client.say("?".repeat(asked));
            assertEquals(asked * length, client.hear(asked * length).length());
        }
        assertEquals(2 * asked, pending.size());
        pending.forEach(each -> assertTrue(each < maxPending, "pending: " + each));
        lab.assertNoProblem();
    }

    @EachMechanism
    void deferredRepliesKeepTheirOrder(ServerLab lab) throws Exception {
        serve(lab, () -> (data, exchange) -> {
            ByteBuffer letter = ByteBuffer.wrap(new byte[] {data.get()});
            Reply reply = exchange.defer();
            THREADS.execute(() -> reply.send(letter));
        });
        String said = "0123456789".repeat(10);
        for (String protocol : TlsClient.PROTOCOLS) {
            TlsClient client = TlsClient.of(lab, protocol);
            client.say(said.substring(0, 50));
            client.say(said.substring(50));
            client.assertHears(said);
        }
        lab.assertNoProblem();
    }

    @EachMechanism
    void whatOtherThreadsSendIsWholeAndInOrder(ServerLab lab) throws Exception {
        BlockingQueue<Connection> connections = new LinkedBlockingQueue<>();
        serve(lab, () -> (data, exchange) -> {
            ServerLab.skip(data);
            connections.add(exchange.connection());
        });
        for (String protocol : TlsClient.PROTOCOLS) {
            TlsClient client = TlsClient.of(lab, protocol);
            client.say("?");
            Connection connection = connections.take();
            List<Job<Void>> senders = new ArrayList<>();
            for (int thread = 0; thread < 4; thread++) {
                ByteBuffer head = ServerLab.bytes(String.valueOf(thread));
                senders.add(lab.start(() -> {
                    for (int i = 1000; i < 2000; i++) {
                        assertTrue(connection.send(head, ServerLab.bytes(i + "\n")));
                    }
                    return null;
                }));
            }
            int[] next = {1000, 1000, 1000, 1000};
            for (int i = 0; i < 4000; i++) {
                String line = client.hear(6);
                int thread = line.charAt(0) - '0';
                assertEquals(thread + "" + next[thread]++ + "\n", line);
            }
            for (Job<Void> each : senders) {
                each.result();
            }
        }
    }

    @EachMechanism
    void aServerMayGreet(ServerLab lab) throws Exception {
        serve(lab, () -> new ConnectionHandler() {
            @Override
            public void onOpen(Exchange exchange) {
                exchange.send(ServerLab.bytes("hello "));
                exchange.connection().send(ServerLab.bytes("there"));
            }

            @Override
            public void onData(ByteBuffer data, Exchange exchange) {
                ServerLab.echo(data, exchange);
            }
        });
        for (String protocol : TlsClient.PROTOCOLS) {
            TlsClient client = TlsClient.of(lab, protocol);
            client.assertHears("hello there");
            client.say("x");
            client.assertHears("x");
        }
        lab.assertNoProblem();
    }

    @EachMechanism
    void whatACallSendsIsOneRecordIfItFits(ServerLab lab) throws Exception {
        String large = "z".repeat(16_000); // nearly the largest record
        serve(lab, () -> (data, exchange) -> {
            ServerLab.skip(data);
            exchange.send(ServerLab.bytes("one "));
            exchange.connection().send(ServerLab.bytes("two "), ServerLab.bytes("three "));
            exchange.send(ServerLab.bytes("four "));
            exchange.send(ServerLab.bytes(large));
            exchange.send(ServerLab.bytes("five "));
        });
        for (String protocol : TlsClient.PROTOCOLS) {
            TlsClient client = TlsClient.of(lab, protocol);
            client.say("?");
            byte[] record = new byte[1 << 15];
            InputStream in = client.socket.getInputStream(); // a read has what one record has
            assertEquals("one two three four ".length(), in.read(record));
            assertEquals(large.length(), in.read(record));
            assertEquals("five ".length(), in.read(record));
        }
    }

    @EachMechanism
    void theSlowPathGetsAChannelByTls(ServerLab lab) throws Exception {
        SlowPath path = (channel, unread) -> {
            assertEquals('s', unread.get());
            channel.write(ServerLab.bytes("slow "));
            lab.server().adopt(channel, unread);
        };
        lab.serve(lab.anywhere(() -> ServerLab::echoUnlessSlow).tls(TlsLab.context(true)).slowPath(path, THREADS));
        for (String protocol : TlsClient.PROTOCOLS) {
            TlsClient client = TlsClient.of(lab, protocol);
            for (int i = 0; i < 10; i++) {
                client.say("fast");
                client.assertHears("fast");
                client.say("sfast");
                client.assertHears("slow fast");
            }
        }
        lab.assertNoProblem();
        lab.until(counts -> counts.slowPath() == 20 && counts.adopted() == 20 && counts.open() == 2);
    }

    @EachMechanism
    void theClientsCertificateIsAskedFor(ServerLab lab) throws Exception {
        BlockingQueue<Certificate> seen = new LinkedBlockingQueue<>();
        lab.serve(lab.anywhere(() -> (data, exchange) -> {
            seen.add(exchange.connection().sslEngine().getSession().getPeerCertificates()[0]);
            ServerLab.echo(data, exchange);
        }).tls(() -> {
            SSLEngine engine = TlsClient.serverEngine();
            engine.setNeedClientAuth(true);
            return engine;
        }, THREADS));
        for (String protocol : TlsClient.PROTOCOLS) {
            TlsClient client = TlsClient.of(lab, protocol);
            client.say("x");
            client.assertHears("x");
            assertEquals(client.socket.getSession().getLocalCertificates()[0], seen.take());
        }
        lab.assertNoProblem();
    }

    @EachMechanism
    void theApplicationProtocolIsAgreedUpon(ServerLab lab) throws Exception {
        lab.serve(lab.anywhere(() -> (data, exchange) -> {
            ServerLab.skip(data);
            SSLEngine engine = exchange.connection().sslEngine();
            exchange.send(ServerLab.bytes(engine.getApplicationProtocol() + "\n"));
        }).tls(() -> {
            SSLEngine engine = TlsClient.serverEngine();
            SSLParameters parameters = engine.getSSLParameters();
            parameters.setApplicationProtocols(new String[] {"h2", "http/1.1"});
            engine.setSSLParameters(parameters);
            return engine;
        }, Runnable::run));
        for (String protocol : TlsClient.PROTOCOLS) {
            TlsClient client = TlsClient.of(lab, protocol);
            SSLParameters parameters = client.socket.getSSLParameters();
            parameters.setApplicationProtocols(new String[] {"http/1.1"});
            client.socket.setSSLParameters(parameters);
            client.say("x");
            client.assertHears("http/1.1\n");
        }
    }

    private static Object read(Class<?> type, Object object, String name) throws Exception {
        Field field = type.getDeclaredField(name);
        field.setAccessible(true);
        return field.get(object);
    }

    private static void assertHoldsNoBuffer(Connection connection) throws Exception {
        Object outbound = read(connection.getClass(), connection, "outbound");
        Object stream = read(outbound.getClass(), outbound, "stream");
        for (String name : List.of("undecrypted", "received", "waiting", "outgoing")) {
            assertNull(read(stream.getClass(), stream, name), name);
        }
        assertEquals(0, connection.pending());
    }

    @EachMechanism
    void idleConnectionsHoldNoBuffers(ServerLab lab) throws Exception {
        BlockingQueue<Connection> connections = new LinkedBlockingQueue<>();
        serve(lab, () -> (data, exchange) -> {
            connections.add(exchange.connection());
            ServerLab.echo(data, exchange);
        });
        for (int i = 0; i < 10; i++) {
            for (String protocol : TlsClient.PROTOCOLS) {
                TlsClient client = TlsClient.of(lab, protocol);
                client.say("x");
                client.assertHears("x");
            }
        }
        assertEquals(20, connections.size());
        TlsClient last = TlsClient.of(lab, TlsClient.PROTOCOLS[0]); // afterwards, the loop has done with the others
        last.say("x");
        last.assertHears("x");
        for (int i = 0; i < 20; i++) {
            assertHoldsNoBuffer(connections.take());
        }
    }
}
