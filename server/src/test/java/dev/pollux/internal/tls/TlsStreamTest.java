// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.tls;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSession;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a TlsStream makes of all that the JDK's own client may do. */
@Timeout(60)
class TlsStreamTest {
    private static final byte[] PING = "ping".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] PONG = "pong".getBytes(StandardCharsets.US_ASCII);

    @Tag("load")
    @ParameterizedTest
    @CsvSource({
        "TLSv1.3,TLS_AES_128_GCM_SHA256",
        "TLSv1.3,TLS_AES_256_GCM_SHA384",
        "TLSv1.3,TLS_CHACHA20_POLY1305_SHA256",
        "TLSv1.2,TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
        "TLSv1.2,TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA384",
        "TLSv1.2,TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256"
    })
    void bothDirectionsCarryMegabytesAtOnceHoweverTheyAreSplit(String protocol, String suite) throws Exception {
        try (TlsLab lab = new TlsLab(protocol, suite)) {
            Pump pump = new Pump(lab);
            Random random = new Random(1);
            pump.split = arrived -> Math.min(arrived, random.nextInt(random.nextBoolean() ? 100 : 20_000));
            FutureTask<Void> served = TlsLab.start(pump::run);
            byte[] bytes = TlsLab.randomBytes(TlsLab.MEGABYTES);
            FutureTask<Void> written = lab.startWriting(bytes);
            assertArrayEquals(bytes, lab.readByClient(bytes.length));
            TlsLab.get(written);
            lab.end(served);
            assertEquals(suite, lab.stream.engine().getSession().getCipherSuite());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void ciphertextMayComeByteByByte(String protocol) throws Exception {
        try (TlsLab lab = new TlsLab(protocol)) {
            Pump pump = new Pump(lab);
            pump.split = arrived -> 1;
            pump.isReadOnly = true;
            FutureTask<Void> served = TlsLab.start(pump::run);
            assertEchoes(lab, 20_000);
            lab.end(served);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void tasksMayRunOnOtherThreads(String protocol) throws Exception {
        try (TlsLab lab = new TlsLab(protocol)) {
            Pump pump = new Pump(lab);
            pump.runsTasksElsewhere = true;
            pump.isReadOnly = true;
            FutureTask<Void> served = TlsLab.start(pump::run);
            assertEchoes(lab, 100);
            lab.end(served);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void whatIsSentBeforeTheHandshakeGoesOutAfterIt(String protocol) throws Exception {
        try (TlsLab lab = new TlsLab(protocol)) {
            byte[] bytes = TlsLab.randomBytes(1_000_000);
            lab.stream.send(ByteBuffer.wrap(bytes, 0, 300_000));
            lab.stream.send(ByteBuffer.wrap(bytes, 300_000, 700_000));
            assertEquals(bytes.length, lab.stream.waiting());
            assertNull(lab.stream.takeOutgoing());
            FutureTask<Void> served = TlsLab.start(new Pump(lab)::run);
            assertArrayEquals(bytes, lab.readByClient(bytes.length));
            assertEquals(0, lab.stream.waiting());
            lab.end(served);
        }
    }

    @Test
    void decryptsNoMoreThanTheCallerWants() throws Exception {
        try (TlsLab lab = new TlsLab("TLSv1.3")) {
            List<Integer> sizes = new ArrayList<>();
            Pump pump = new Pump(lab);
            pump.handler = plaintext -> {
                sizes.add(plaintext.remaining());
                if (plaintext.remaining() == 6000) {
                    plaintext.position(6000);
                }
            };
            FutureTask<Void> served = TlsLab.start(pump::run);
            for (int i = 0; i < 6; i++) {
                lab.client.getOutputStream().write(new byte[1000]);
            }
            lab.end(served);
            assertEquals(List.of(1000, 2000, 3000, 4000, 5000, 6000), sizes);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void truncationIsNoEnd(String protocol) throws Exception {
        try (TlsLab lab = new TlsLab(protocol)) {
            FutureTask<Void> served = TlsLab.start(new Pump(lab)::run);
            assertEchoes(lab, 100);
            lab.tcp.shutdownOutput();
            assertInstanceOf(SSLException.class, causeOf(served));
            assertFalse(lab.stream.isEnded());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void aRequestBeforeThePeersEndIsAnswered(String protocol) throws Exception {
        try (TlsLab lab = new TlsLab(protocol)) {
            Pump pump = new Pump(lab);
            pump.handler = plaintext -> {
                plaintext.position(plaintext.limit());
                lab.stream.send(ByteBuffer.wrap(PONG));
            };
            FutureTask<Void> shaken = TlsLab.start(() -> {
                lab.client.startHandshake();
                lab.client.getOutputStream().write(PING);
                lab.client.shutdownOutput();
                return null;
            });
            FutureTask<Void> served = TlsLab.start(pump::run);
            TlsLab.get(shaken);
            assertArrayEquals(PONG, lab.readByClient(PONG.length));
            TlsLab.get(served);
            assertTrue(lab.stream.isEnded());
            lab.stream.receiveEnd();
        }
    }

    @Test
    void canSendAfterThePeersEnd() throws Exception {
        try (TlsLab lab = new TlsLab("TLSv1.3")) {
            Pump pump = new Pump(lab);
            FutureTask<Void> served = TlsLab.start(pump::run);
            lab.client.startHandshake();
            lab.client.shutdownOutput();
            TlsLab.get(served);
            lab.stream.send(ByteBuffer.wrap(PONG));
            pump.send();
            assertArrayEquals(PONG, lab.readByClient(PONG.length));
            lab.stream.close();
            pump.send();
            assertEquals(-1, lab.client.getInputStream().read());
        }
    }

    @Test
    void withTls12NothingCanBeSentAfterThePeersEnd() throws Exception {
        try (TlsLab lab = new TlsLab("TLSv1.2")) {
            FutureTask<Void> served = TlsLab.start(new Pump(lab)::run);
            lab.client.startHandshake();
            lab.client.shutdownOutput();
            TlsLab.get(served);
            assertThrows(SSLException.class, () -> lab.stream.send(ByteBuffer.wrap(PONG)));
            assertEquals(-1, lab.client.getInputStream().read());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void canReceiveAfterItsOwnEnd(String protocol) throws Exception {
        try (TlsLab lab = new TlsLab(protocol)) {
            Pump pump = new Pump(lab);
            ByteArrayOutputStream received = new ByteArrayOutputStream();
            pump.handler = plaintext -> {
                while (plaintext.hasRemaining()) {
                    received.write(plaintext.get());
                }
                if (received.size() == PING.length) {
                    lab.stream.close();
                    pump.send();
                }
            };
            FutureTask<Void> served = TlsLab.start(pump::run);
            lab.client.getOutputStream().write(PING);
            while (lab.tcp.getInputStream().available() == 0 || !lab.engine.isOutboundDone()) {
                Thread.sleep(1);
            }
            lab.client.getOutputStream().write(PONG);
            lab.client.shutdownOutput();
            TlsLab.get(served);
            assertEquals("pingpong", received.toString(StandardCharsets.US_ASCII));
            assertThrows(SSLException.class, () -> lab.stream.send(ByteBuffer.wrap(PONG)));
            assertEquals(-1, lab.client.getInputStream().read());
        }
    }

    @Test
    void whatIsNotTlsGetsAnAlert() throws Exception {
        try (TlsLab lab = new TlsLab("TLSv1.3")) {
            FutureTask<Void> served = TlsLab.start(new Pump(lab)::run);
            lab.tcp.getOutputStream().write("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            Throwable thrown = causeOf(served);
            assertInstanceOf(SSLException.class, thrown);
            byte[] alert = lab.tcp.getInputStream().readNBytes(7);
            assertEquals(21, alert[0]);
            assertEquals(2, alert[5], "the level: fatal");
            assertSame(thrown, assertThrows(SSLException.class, () -> lab.stream.receive(TlsStream.NOTHING, 0)));
            assertSame(thrown, assertThrows(SSLException.class, lab.stream::receiveEnd));
            assertSame(thrown, assertThrows(SSLException.class, () -> lab.stream.send(ByteBuffer.wrap(PONG))));
            assertFalse(lab.stream.isEnded());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void aChangedByteGetsAnAlert(String protocol) throws Exception {
        try (TlsLab lab = new TlsLab(protocol)) {
            FutureTask<Void> served = TlsLab.start(new Pump(lab)::run);
            assertEchoes(lab, 100);
            lab.tcp.getOutputStream().write(new byte[] {23, 3, 3, 0, 32});
            lab.tcp.getOutputStream().write(new byte[32]);
            assertInstanceOf(SSLException.class, causeOf(served));
            assertThrows(SSLException.class, () -> lab.readByClient(1)); // it got a fatal alert
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void aCertificateOfTheClientsMayBeDemanded(String protocol) throws Exception {
        try (TlsLab lab = new TlsLab(true, true, protocol)) {
            FutureTask<Void> served = TlsLab.start(new Pump(lab)::run);
            assertEchoes(lab, 100);
            assertEquals(1, lab.engine.getSession().getPeerCertificates().length);
            lab.end(served);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void aClientWithoutTheDemandedCertificateGetsAnAlert(String protocol) throws Exception {
        try (TlsLab lab = new TlsLab(true, false, protocol)) {
            FutureTask<Void> served = TlsLab.start(new Pump(lab)::run);
            assertThrows(IOException.class, () -> assertEchoes(lab, 100)); // a late write meets a closed socket
            assertInstanceOf(SSLException.class, causeOf(served));
        }
    }

    @Test
    void keysMayChange() throws Exception {
        try (TlsLab lab = new TlsLab("TLSv1.3", "TLS_AES_128_GCM_SHA256")) {
            Pump pump = new Pump(lab);
            FutureTask<Void> served = TlsLab.start(pump::run);
            assertEchoes(lab, 100);
            byte[] bytes = TlsLab.randomBytes(2 * TlsLab.MEGABYTES);
            FutureTask<Void> written = lab.startWriting(bytes);
            assertArrayEquals(bytes, lab.readByClient(bytes.length));
            TlsLab.get(written);
            lab.end(served);
            assumeTrue(pump.answers > 0, "TLS was used in this virtual machine before the limit of keys was set");
        }
    }

    @Test
    void aClientMayNotNegotiateAgain() throws Exception {
        try (TlsLab lab = new TlsLab("TLSv1.2")) {
            FutureTask<Void> served = TlsLab.start(new Pump(lab)::run);
            assertEchoes(lab, 100);
            lab.client.startHandshake();
            Throwable thrown = causeOf(served);
            assertTrue(thrown.getMessage().contains("renegotiation"), thrown::toString);
            assertThrows(SSLException.class, lab.stream::close, "close_notify would say that nothing is missing");
        }
    }

    @Test
    void aClientMayNotNegotiateAgainInTheRecordThatEndsTheHandshake() throws Exception {
        SSLContext clients = TlsLab.context(true);
        SSLContext servers = TlsLab.context(true);
        negotiate(clients, servers); // now there is a session to resume
        SSLException thrown = assertThrows(SSLException.class, () -> negotiate(clients, servers));
        assertTrue(thrown.getMessage().contains("renegotiation"), thrown::toString);
    }

    /**
     * Until a client has nothing more to say. If it resumes a session, it begins another handshake before it writes its
     * Finished, so that the JDK puts both into one record.
     */
    private static void negotiate(SSLContext clients, SSLContext servers) throws Exception {
        SSLEngine client = engine(clients, true);
        TlsStream server = new TlsStream(engine(servers, false), new BufferPool());
        client.beginHandshake();
        ByteBuffer toServer = ByteBuffer.allocate(1 << 16);
        ByteBuffer toClient = ByteBuffer.allocate(1 << 16).flip();
        boolean isBegun = false;
        while (client.getHandshakeStatus() != HandshakeStatus.NOT_HANDSHAKING) {
            switch (client.getHandshakeStatus()) {
                case NEED_TASK -> client.getDelegatedTask().run();
                case NEED_WRAP -> client.wrap(TlsStream.NOTHING, toServer);
                default -> {
                    Pump.receive(server, toServer.flip());
                    toServer.clear();
                    ByteBuffer records = server.takeOutgoing();
                    toClient.compact().put(records == null ? TlsStream.NOTHING : records).flip();
                    client.unwrap(toClient, ByteBuffer.allocate(1 << 16));
                    if (!isBegun && client.getHandshakeStatus() == HandshakeStatus.NEED_WRAP) {
                        client.beginHandshake();
                        isBegun = true;
                    }
                }
            }
        }
        Pump.receive(server, toServer.flip());
    }

    private static SSLEngine engine(SSLContext context, boolean isClient) {
        SSLEngine engine = context.createSSLEngine("localhost", 1);
        engine.setUseClientMode(isClient);
        engine.setEnabledProtocols(new String[] {"TLSv1.2"});
        return engine;
    }

    @Test
    void aClientMayNegotiateAgainWhereThatIsAllowed() throws Exception {
        System.setProperty(TlsLab.REFUSAL, "False"); // the JDK ignores the case, too
        try (TlsLab lab = new TlsLab("TLSv1.2")) {
            FutureTask<Void> served = TlsLab.start(new Pump(lab)::run);
            assertEchoes(lab, 100);
            SSLSession before = lab.client.getSession();
            before.invalidate();
            lab.client.getOutputStream().write(PING);
            lab.client.startHandshake();
            assertArrayEquals(PING, lab.readByClient(PING.length));
            assertEchoes(lab, 100_000);
            for (int i = 0; i < 100 && lab.client.getSession() == before; i++) {
                assertEchoes(lab, 100); // the client goes on with the handshake as it reads
            }
            assertNotSame(before, lab.client.getSession());
            lab.end(served);
        } finally {
            System.clearProperty(TlsLab.REFUSAL);
        }
    }

    @Test
    void whatHasWaitedForATaskIsSentWithWhatFollows() throws Exception {
        System.setProperty(TlsLab.REFUSAL, "false");
        try (TlsLab lab = new TlsLab("TLSv1.2"); TlsChannel channel = new TlsChannel(lab.channel, lab.stream)) {
            FutureTask<Void> said = lab.startWriting(PING);
            assertEquals(PING.length, channel.read(ByteBuffer.allocate(PING.length)));
            TlsLab.get(said);
            lab.client.getSession().invalidate();
            lab.client.startHandshake();
            while (lab.engine.getHandshakeStatus() != HandshakeStatus.NEED_TASK) {
                ByteBuffer arrived = ByteBuffer.allocate(1 << 15);
                lab.channel.read(arrived);
                lab.stream.receive(arrived.flip(), 0);
            }
            FutureTask<Void> awaited = TlsLab.start(() -> {
                lab.stream.awaitTask(); // though it has not begun
                return null;
            });
            TlsLab.letBlock();
            assertFalse(awaited.isDone());
            Runnable task = lab.stream.nextTask();
            lab.stream.send(ByteBuffer.wrap(PING));
            assertEquals(PING.length, lab.stream.waiting());
            task.run();
            TlsLab.get(awaited);
            lab.stream.send(ByteBuffer.wrap(PONG));
            assertEquals(0, lab.stream.waiting());
            lab.channel.write(lab.stream.takeOutgoing());
            assertArrayEquals("pingpong".getBytes(StandardCharsets.US_ASCII), lab.readByClient(8));
        } finally {
            System.clearProperty(TlsLab.REFUSAL);
        }
    }

    @Test
    void canNegotiateAgainItself() throws Exception {
        try (TlsLab lab = new TlsLab("TLSv1.2")) {
            Pump pump = new Pump(lab);
            FutureTask<Void> served = TlsLab.start(pump::run);
            pump.handler = plaintext -> {
                if (plaintext.get(plaintext.position()) == 'p') {
                    lab.engine.beginHandshake();
                }
                lab.stream.send(plaintext);
            };
            lab.client.getOutputStream().write(PING);
            assertArrayEquals(PING, lab.readByClient(PING.length));
            assertEchoes(lab, 100_000);
            lab.end(served);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void anIdleConnectionHasNoBuffers(String protocol) throws Exception {
        try (TlsLab lab = new TlsLab(protocol)) {
            FutureTask<Void> served = TlsLab.start(new Pump(lab)::run);
            assertEchoes(lab, 100_000);
            lab.end(served);
            for (String name : List.of("undecrypted", "received", "waiting", "outgoing")) {
                Field field = TlsStream.class.getDeclaredField(name);
                field.setAccessible(true);
                assertNull(field.get(lab.stream), name);
            }
        }
    }

    @Test
    void mayBeClosedBeforeTheHandshake() throws Exception {
        try (TlsLab lab = new TlsLab("TLSv1.3")) {
            lab.stream.receive(ByteBuffer.wrap(new byte[] {22, 3, 1}), 0);
            lab.stream.send(ByteBuffer.wrap(PONG));
            lab.stream.close();
            ByteBuffer outgoing = lab.stream.takeOutgoing();
            assertEquals(21, outgoing.get(0), "an alert");
            assertThrows(SSLException.class, () -> lab.stream.send(ByteBuffer.wrap(PONG)));
            lab.stream.release();
            assertEquals(0, lab.stream.waiting());
        }
    }

    private static void assertEchoes(TlsLab lab, int length) throws Exception {
        byte[] bytes = TlsLab.randomBytes(length);
        bytes[0] = 0;
        FutureTask<Void> written = lab.startWriting(bytes);
        assertArrayEquals(bytes, lab.readByClient(length));
        TlsLab.get(written);
    }

    private static Throwable causeOf(FutureTask<Void> task) {
        return assertThrows(ExecutionException.class, () -> TlsLab.get(task)).getCause();
    }
}
