// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.internal.tls.TlsLab;
import dev.pollux.lab.Job;
import dev.pollux.server.ServerErrorHandler.Place;
import dev.pollux.server.ServerLab.Client;
import dev.pollux.server.ServerLab.Problem;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** Tasks of handshakes that take long, or fail: they concern their own connection alone. */
class TlsTaskTest {
    private static final Executor THREADS = task -> new Thread(task).start();

    /** More than all buffers of two sockets can have. */
    private static final int FLOOD = 128 << 20;

    private static final int ALERT = 21;
    private static final byte[] LETTER = {'x'};

    /** A server that echoes, with its connections. */
    private static Recorder serve(ServerLab lab, TlsGate gate, UnaryOperator<StreamServerBuilder> options)
            throws Exception {
        Recorder recorder = new Recorder(ServerLab::echo);
        lab.serve(options.apply(lab.anywhere(() -> recorder).tls(gate::engine, THREADS)));
        lab.opened(gate); // so that it opens before the server is closed
        return recorder;
    }

    private static Recorder serve(ServerLab lab, TlsGate gate) throws Exception {
        return serve(lab, gate, options -> options);
    }

    private static void assertEchoes(TlsClient client) throws IOException {
        client.say("echo");
        client.assertHears("echo");
    }

    /** What a client says first. */
    private static ByteBuffer hello(String protocol) throws Exception {
        SSLEngine engine = TlsClient.clientEngine();
        engine.setEnabledProtocols(new String[] {protocol});
        ByteBuffer hello = ByteBuffer.allocate(engine.getSession().getPacketBufferSize());
        engine.wrap(ByteBuffer.allocate(0), hello);
        return hello.flip();
    }

    @BeforeAll
    static void allowRenegotiation() {
        System.setProperty(TlsLab.REFUSAL, "false");
    }

    @AfterAll
    static void refuseRenegotiation() {
        System.clearProperty(TlsLab.REFUSAL);
    }

    /** A client in whose handshake the server computes until the gate opens. */
    private static Client clientAtGate(ServerLab lab, TlsGate gate, String protocol) throws Exception {
        gate.shut();
        Client client = lab.client();
        client.channel.write(hello(protocol));
        gate.awaitTask();
        return client;
    }

    /** A client that negotiates again, while the server computes until the gate opens. */
    private static TlsClient againAtGate(ServerLab lab, TlsGate gate) throws Exception {
        TlsClient client = TlsClient.of(lab, "TLSv1.2");
        assertEchoes(client);
        gate.shut();
        client.socket.getSession().invalidate();
        client.socket.startHandshake(); // goes on as the client reads
        gate.awaitTask();
        return client;
    }

    /** The type of the last record that a client gets. */
    private static int lastRecordOf(TlsClient client) throws IOException {
        DataInputStream in = new DataInputStream(client.tcp.getInputStream());
        int last = 0;
        for (int type = in.read(); type >= 0; type = in.read()) {
            last = type;
            in.readUnsignedShort(); // the version
            in.readFully(new byte[in.readUnsignedShort()]);
        }
        return last;
    }

    @Tag("load")
    @EachMechanism
    void aTaskHoldsUpNoOtherConnection(ServerLab lab) throws Exception {
        for (String protocol : TlsClient.PROTOCOLS) {
            TlsGate gate = new TlsGate();
            serve(lab, gate);
            TlsClient other = TlsClient.of(lab, protocol);
            assertEchoes(other);
            Client client = clientAtGate(lab, gate, protocol);
            client.say("\26"); // the next record begins
            assertEchoes(other);
            assertEchoes(TlsClient.of(lab, protocol));
            client.close();
            assertEchoes(other);
            gate.open();
            assertEchoes(other);
        }
    }

    @EachMechanism
    void itsOwnConnectionGoesOnAfterwards(ServerLab lab) throws Exception {
        for (String protocol : TlsClient.PROTOCOLS) {
            TlsGate gate = new TlsGate();
            serve(lab, gate);
            gate.shut();
            TlsClient client = TlsClient.of(lab, protocol);
            Job<Void> echoing = lab.start(() -> {
                assertEchoes(client);
                return null;
            });
            gate.awaitTask();
            gate.open();
            echoing.result();
            assertEchoes(client);
            lab.assertNoProblem();
        }
    }

    @EachMechanism
    void anEstablishedConnectionKeepsWhatItIsToSend(ServerLab lab) throws Exception {
        TlsGate gate = new TlsGate();
        Recorder recorder = serve(lab, gate);
        TlsClient client = againAtGate(lab, gate);
        Connection connection = recorder.opened.take();
        TlsClient other = TlsClient.of(lab, "TLSv1.3");
        lab.start(() -> connection.send(ServerLab.bytes("one "))).result();
        lab.start(() -> connection.send(ServerLab.bytes("two "))).result();
        assertEchoes(other);
        gate.open();
        client.assertHears("one two ");
        assertEchoes(client);
        lab.assertNoProblem();
    }

    /** The handshake is to go on then, though the handler is to get nothing. */
    @EachMechanism
    void asMuchAsMayBePendingMayWaitForIt(ServerLab lab) throws Exception {
        TlsGate gate = new TlsGate();
        Recorder recorder = serve(lab, gate, options -> options.maxPending(1000));
        TlsClient client = againAtGate(lab, gate);
        Connection connection = recorder.opened.take();
        int sent = lab.start(() -> {
            int accepted = 0;
            while (connection.send(ByteBuffer.allocate(100))) {
                accepted += 100;
            }
            return accepted;
        }).result();
        assertEchoes(TlsClient.of(lab, "TLSv1.2")); // the loop has looked at it meanwhile
        gate.open();
        assertEquals(sent, client.hear(sent).length());
        assertSame(connection, recorder.writable.take());
        assertEchoes(client);
        lab.assertNoProblem();
    }

    @EachMechanism
    void aCloseWaitsForTheTaskToSayItProperly(ServerLab lab) throws Exception {
        TlsGate gate = new TlsGate();
        Recorder recorder = serve(lab, gate);
        TlsClient client = againAtGate(lab, gate);
        Connection connection = recorder.opened.take();
        connection.close();
        assertEchoes(TlsClient.of(lab, "TLSv1.3"));
        assertEquals(2, lab.server().statistics().open());
        gate.open();
        assertEquals(ALERT, lastRecordOf(client), "close_notify");
        assertEquals(CloseReason.CLOSED, recorder.reasons.take());
        lab.assertNoProblem();
    }

    @EachMechanism
    void anAbortDoesNotWait(ServerLab lab) throws Exception {
        TlsGate gate = new TlsGate();
        Recorder recorder = serve(lab, gate);
        againAtGate(lab, gate);
        recorder.opened.take().abort();
        assertEquals(CloseReason.CLOSED, recorder.reasons.take());
        lab.until(counts -> counts.open() == 0);
    }

    @EachMechanism
    void theIdleTimeoutDoesNotWait(ServerLab lab) throws Exception {
        TlsGate gate = new TlsGate();
        Recorder recorder = serve(lab, gate, options -> options.idleTimeout(Duration.ofSeconds(1)));
        againAtGate(lab, gate);
        assertEquals(CloseReason.IDLE, recorder.reasons.take());
        lab.until(counts -> counts.open() == 0);
    }

    @EachMechanism
    void norDoesThatOfAHandshake(ServerLab lab) throws Exception {
        TlsGate gate = new TlsGate();
        serve(lab, gate, options -> options.idleTimeout(Duration.ofSeconds(1)));
        Client client = clientAtGate(lab, gate, "TLSv1.3");
        client.assertIsClosed();
        assertTrue(lab.problem().error().getMessage().contains("HANDSHAKE"));
        lab.until(counts -> counts.closedFailed() == 1 && counts.open() == 0);
    }

    @EachMechanism
    void theServersEndDoesNotWait(ServerLab lab) throws Exception {
        TlsGate gate = new TlsGate();
        serve(lab, gate);
        Client client = clientAtGate(lab, gate, "TLSv1.3");
        lab.start(() -> {
            lab.server().close();
            return null;
        }).result();
        client.assertIsClosed();
    }

    @EachMechanism
    void oneThatIsDroppedHasTheIdleTimeout(ServerLab lab) throws Exception {
        lab.serve(lab.anywhere(() -> ServerLab::echo).idleTimeout(Duration.ofMillis(100))
                .tls(TlsClient::serverEngine, task -> { }));
        Client client = lab.client();
        client.channel.write(hello("TLSv1.3"));
        client.hearUntilTheEnd(); // of an alert, if the timeout came before the task
        assertEquals(Place.CONNECTION, lab.problem().place());
        lab.until(counts -> counts.closedFailed() == 1 && counts.open() == 0);
    }

    @EachMechanism
    void anErrorInATaskIsToldAndEndsItsConnection(ServerLab lab) throws Exception {
        AssertionError error = new AssertionError("on purpose");
        SSLContext context = TlsLab.context(() -> {
            throw error;
        });
        for (Executor threads : List.<Executor>of(Runnable::run, THREADS)) {
            lab.serve(lab.anywhere(() -> ServerLab::echo).tls(() -> {
                SSLEngine engine = context.createSSLEngine();
                engine.setUseClientMode(false);
                return engine;
            }, threads));
            for (String protocol : TlsClient.PROTOCOLS) {
                TlsClient client = TlsClient.of(lab, protocol);
                assertThrows(IOException.class, () -> assertEchoes(client));
                Problem problem = lab.problem();
                assertEquals(Place.CONNECTION, problem.place());
                assertSame(error, problem.error().getCause());
                lab.until(counts -> counts.open() == 0);
            }
            lab.assertNoProblem();
        }
    }

    @EachMechanism
    void aStrangerCanNotFillMemoryWhileATaskWaitsForTheExecutor(ServerLab lab) throws Exception {
        TlsGate gate = new TlsGate();
        lab.serve(lab.anywhere(() -> ServerLab::echo).tls(TlsClient::serverEngine, task -> THREADS.execute(() -> {
            gate.pass();
            task.run();
        })));
        Client client = clientAtGate(lab, gate, "TLSv1.3");
        client.channel.configureBlocking(false);
        ByteBuffer bytes = ByteBuffer.allocateDirect(1 << 16);
        long sent = 0;
        int refused = 0;
        while (refused < 300 && sent < FLOOD) {
            int written = client.channel.write(bytes.clear());
            sent += written;
            refused = written > 0 ? 0 : refused + 1;
            Thread.sleep(written > 0 ? 0 : 1);
        }
        assertTrue(sent < FLOOD, "all is taken");
        gate.open();
        assertEquals(Place.CONNECTION, lab.problem().place()); // it was no TLS
        lab.until(counts -> counts.open() == 0);
    }

    /** The client's certificate is looked at in a task. All that it says behind that comes before the task ends. */
    @EachMechanism
    void moreThanMayWaitComesAfterTheTask(ServerLab lab) throws Exception {
        TlsGate gate = new TlsGate();
        AtomicInteger tasks = new AtomicInteger();
        lab.serve(lab.anywhere(() -> ServerLab::echo).tls(() -> {
            SSLEngine engine = TlsClient.serverEngine();
            engine.setNeedClientAuth(true);
            return engine;
        }, task -> new Thread(() -> {
            if (tasks.incrementAndGet() == 2) {
                gate.pass();
            }
            task.run();
        }).start()));
        gate.shut();
        TlsClient client = TlsClient.of(lab, "TLSv1.3");
        client.socket.startHandshake();
        byte[] said = TlsLab.randomBytes(TlsLab.MEGABYTES);
        Job<Void> saying = lab.start(() -> {
            client.socket.getOutputStream().write(LETTER);
            client.socket.getOutputStream().write(said);
            return null;
        });
        gate.awaitTask();
        Thread.sleep(100); // it says as much as it can
        gate.open();
        assertArrayEquals(LETTER, client.socket.getInputStream().readNBytes(1));
        assertArrayEquals(said, client.socket.getInputStream().readNBytes(said.length));
        saying.result();
        lab.assertNoProblem();
    }
}
