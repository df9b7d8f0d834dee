// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.tls;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.AlreadyBoundException;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A blocking channel of plaintext, with the JDK's own client at the other end. */
@Timeout(60)
class TlsChannelTest {
    private static final byte[] PING = "ping".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] PONG = "pong".getBytes(StandardCharsets.US_ASCII);

    @Tag("load")
    @ParameterizedTest
    @CsvSource({"TLSv1.2,true", "TLSv1.3,true", "TLSv1.2,false", "TLSv1.3,false"})
    void bothDirectionsCarryMegabytesAtOnce(String protocol, boolean isDirect) throws Exception {
        try (TlsLab lab = new TlsLab(protocol); TlsChannel channel = new TlsChannel(lab.channel, lab.stream)) {
            byte[] there = TlsLab.randomBytes(TlsLab.MEGABYTES);
            byte[] back = TlsLab.randomBytes(TlsLab.MEGABYTES + 1);
            FutureTask<byte[]> read = TlsLab.start(() -> read(channel, there.length, isDirect));
            FutureTask<Integer> written = TlsLab.start(() -> channel.write(buffer(back, isDirect)));
            FutureTask<Void> writtenByClient = lab.startWriting(there);
            assertArrayEquals(back, lab.readByClient(back.length));
            assertArrayEquals(there, TlsLab.get(read));
            assertEquals(back.length, TlsLab.get(written));
            TlsLab.get(writtenByClient);
        }
    }

    /** The client has asked for new keys in the middle of what it sends, and reads nothing before it has sent all. */
    @Tag("load")
    @Test
    void aReaderGoesOnThoughTheWriterCanNot() throws Exception {
        try (TlsLab lab = new TlsLab("TLSv1.3", "TLS_AES_128_GCM_SHA256");
                TlsChannel channel = new TlsChannel(lab.channel, lab.stream)) {
            FutureTask<Void> shaken = TlsLab.start(() -> {
                lab.client.startHandshake();
                lab.client.getOutputStream().write(PING);
                return null;
            });
            assertArrayEquals(PING, read(channel, PING.length, true));
            TlsLab.get(shaken);
            byte[] bytes = TlsLab.randomBytes(20 << 20);
            FutureTask<Integer> written = TlsLab.start(() -> channel.write(ByteBuffer.wrap(bytes)));
            TlsLab.letBlock();
            assertFalse(written.isDone());
            FutureTask<byte[]> read = TlsLab.start(() -> read(channel, bytes.length, false));
            lab.client.getOutputStream().write(bytes);
            assertArrayEquals(bytes, TlsLab.get(read));
            assertArrayEquals(bytes, lab.readByClient(bytes.length));
            assertEquals(bytes.length, TlsLab.get(written));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void goesOnWithAHandshakeThatHasBegun(String protocol) throws Exception {
        try (TlsLab lab = new TlsLab(protocol)) {
            FutureTask<Void> written = lab.startWriting(PING);
            ByteBuffer begin = ByteBuffer.allocate(50);
            while (begin.hasRemaining()) {
                lab.channel.read(begin);
            }
            lab.stream.receive(begin.flip(), 0);
            try (TlsChannel channel = new TlsChannel(lab.channel, lab.stream)) {
                assertArrayEquals(PING, read(channel, PING.length, true));
                TlsLab.get(written);
            }
        }
    }

    @Test
    void goesOnWithWhatWasReceived() throws Exception {
        try (TlsLab lab = new TlsLab("TLSv1.3")) {
            Pump pump = new Pump(lab);
            pump.handler = plaintext -> {
                if (plaintext.remaining() == 2 * PING.length) {
                    throw new IOException("enough");
                }
            };
            FutureTask<Void> served = TlsLab.start(pump::run);
            FutureTask<Void> written = TlsLab.start(() -> {
                lab.client.startHandshake();
                lab.client.getOutputStream().write(PING);
                lab.client.getOutputStream().write(PING);
                lab.client.getOutputStream().write(PONG);
                return null;
            });
            assertThrows(ExecutionException.class, () -> TlsLab.get(served));
            TlsLab.get(written);
            try (TlsChannel channel = new TlsChannel(lab.channel, lab.stream)) {
                assertEquals("pingpingpong", new String(read(channel, 12, true), StandardCharsets.US_ASCII));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void aWriterNeedsNoReaderAndAReaderNoWriter(String protocol) throws Exception {
        for (boolean hasReader : new boolean[] {false, true}) {
            try (TlsLab lab = new TlsLab(protocol); TlsChannel channel = new TlsChannel(lab.channel, lab.stream)) {
                FutureTask<byte[]> read = hasReader ? TlsLab.start(() -> read(channel, PING.length, true)) : null;
                FutureTask<Integer> written = TlsLab.start(() -> channel.write(ByteBuffer.wrap(PONG)));
                assertArrayEquals(PONG, lab.readByClient(PONG.length));
                assertEquals(PONG.length, TlsLab.get(written));
                if (hasReader) {
                    lab.client.getOutputStream().write(PING);
                    assertArrayEquals(PING, TlsLab.get(read));
                }
            }
        }
    }

    @Test
    void buffersAreScatteredAndGathered() throws Exception {
        try (TlsLab lab = new TlsLab("TLSv1.3"); TlsChannel channel = new TlsChannel(lab.channel, lab.stream)) {
            FutureTask<Void> written = lab.startWriting("pingpong".getBytes(StandardCharsets.US_ASCII));
            ByteBuffer[] parts = {ByteBuffer.allocate(100), ByteBuffer.allocate(3), ByteBuffer.allocate(0),
                ByteBuffer.allocateDirect(100)};
            assertEquals(8, channel.read(parts, 1, 3));
            TlsLab.get(written);
            assertEquals(0, parts[0].position());
            assertEquals(3, parts[1].position());
            assertEquals(5, parts[3].position());
            assertEquals(0, channel.read(ByteBuffer.allocate(0)));
            parts[1].flip();
            parts[3].flip();
            assertEquals(8, channel.write(parts, 1, 3));
            assertEquals("pingpong", new String(lab.readByClient(8), StandardCharsets.US_ASCII));
            assertFalse(parts[3].hasRemaining());
        }
    }

    @Test
    void eachDirectionEndsByItself() throws Exception {
        try (TlsLab lab = new TlsLab("TLSv1.3"); TlsChannel channel = new TlsChannel(lab.channel, lab.stream)) {
            FutureTask<Void> ended = TlsLab.start(() -> {
                lab.client.startHandshake();
                lab.client.shutdownOutput();
                return null;
            });
            assertEquals(-1, channel.read(ByteBuffer.allocate(10)));
            TlsLab.get(ended);
            assertEquals(-1, channel.read(ByteBuffer.allocate(10)));
            channel.write(ByteBuffer.wrap(PONG));
            channel.shutdownOutput();
            assertArrayEquals(PONG, lab.readByClient(PONG.length));
            assertEquals(-1, lab.client.getInputStream().read());
            assertThrows(ClosedChannelException.class, () -> channel.write(ByteBuffer.wrap(PONG)));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void readsAfterItsOwnEnd(String protocol) throws Exception {
        try (TlsLab lab = new TlsLab(protocol); TlsChannel channel = new TlsChannel(lab.channel, lab.stream)) {
            FutureTask<Void> written = lab.startWriting(PING);
            assertArrayEquals(PING, read(channel, PING.length, true));
            TlsLab.get(written);
            channel.shutdownOutput();
            lab.client.getOutputStream().write(PONG);
            lab.client.shutdownOutput();
            assertArrayEquals(PONG, read(channel, PONG.length, true));
            assertEquals(-1, channel.read(ByteBuffer.allocate(10)));
        }
    }

    @Test
    void aReaderOfAnInputThatIsShutLeaves() throws Exception {
        try (TlsLab lab = new TlsLab("TLSv1.3"); TlsChannel channel = connected(lab)) {
            FutureTask<Integer> read = TlsLab.start(() -> channel.read(ByteBuffer.allocate(10)));
            TlsLab.letBlock();
            channel.shutdownInput();
            assertEquals(-1, TlsLab.get(read));
            channel.write(ByteBuffer.wrap(PONG));
            assertArrayEquals(PONG, lab.readByClient(PONG.length));
        }
    }

    @Test
    void truncationIsNoEnd() throws Exception {
        try (TlsLab lab = new TlsLab("TLSv1.3"); TlsChannel channel = connected(lab)) {
            lab.tcp.shutdownOutput();
            assertThrows(SSLException.class, () -> channel.read(ByteBuffer.allocate(10)));
            assertThrows(SSLException.class, () -> channel.read(ByteBuffer.allocate(10)));
        }
    }

    @Test
    void whatIsNotTlsGetsAnAlert() throws Exception {
        try (TlsLab lab = new TlsLab("TLSv1.3"); TlsChannel channel = new TlsChannel(lab.channel, lab.stream)) {
            lab.tcp.getOutputStream().write("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            assertThrows(SSLException.class, () -> channel.read(ByteBuffer.allocate(10)));
            assertEquals(21, lab.tcp.getInputStream().read());
            assertThrows(SSLException.class, () -> channel.read(ByteBuffer.allocate(10)));
            assertThrows(SSLException.class, () -> channel.write(ByteBuffer.wrap(PONG)));
        }
    }

    @Test
    void thePeerMayLeaveDuringTheHandshake() throws Exception {
        try (TlsLab lab = new TlsLab("TLSv1.3")) {
            TlsChannel channel = new TlsChannel(lab.channel, lab.stream);
            lab.tcp.close();
            assertThrows(SSLException.class, () -> channel.write(ByteBuffer.wrap(PONG)));
            channel.close();
            assertFalse(lab.channel.isOpen());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void closingTellsThePeerAndWakesAReader(String protocol) throws Exception {
        try (TlsLab lab = new TlsLab(protocol)) {
            TlsChannel channel = connected(lab);
            FutureTask<Integer> read = TlsLab.start(() -> channel.read(ByteBuffer.allocate(10)));
            TlsLab.letBlock();
            channel.close();
            assertInstanceOf(ClosedChannelException.class, causeOf(read));
            assertEquals(-1, lab.client.getInputStream().read());
            assertFalse(lab.channel.isOpen());
            assertThrows(ClosedChannelException.class, () -> channel.read(ByteBuffer.allocate(10)));
            assertThrows(ClosedChannelException.class, () -> channel.write(ByteBuffer.allocate(10)));
            assertThrows(ClosedChannelException.class, channel::shutdownOutput);
        }
    }

    @Test
    void closingWakesWhoWaitsForTheHandshake() throws Exception {
        try (TlsLab lab = new TlsLab("TLSv1.3")) {
            TlsChannel channel = new TlsChannel(lab.channel, lab.stream);
            FutureTask<Integer> written = TlsLab.start(() -> channel.write(ByteBuffer.allocate(10)));
            TlsLab.letBlock();
            FutureTask<Integer> read = TlsLab.start(() -> channel.read(ByteBuffer.allocate(10)));
            TlsLab.letBlock();
            channel.close();
            assertInstanceOf(ClosedChannelException.class, causeOf(written));
            assertInstanceOf(ClosedChannelException.class, causeOf(read));
            assertEquals(21, lab.tcp.getInputStream().read());
        }
    }

    @Test
    void closingDoesNotWaitForThePeer() throws Exception {
        try (TlsLab lab = new TlsLab("TLSv1.3")) {
            TlsChannel channel = connected(lab);
            FutureTask<Integer> written = TlsLab.start(() -> channel.write(ByteBuffer.allocate(50 << 20)));
            TlsLab.letBlock();
            channel.close();
            assertInstanceOf(ClosedChannelException.class, causeOf(written));
            assertFalse(lab.channel.isOpen());
        }
    }

    /** A reader is in the middle of it, and the engine holds its lock. */
    @Test
    void closingDoesNotWaitForATask() throws Exception {
        CountDownLatch isReached = new CountDownLatch(1);
        CountDownLatch isOver = new CountDownLatch(1);
        SSLEngine engine = TlsLab.context(() -> {
            isReached.countDown();
            awaitUninterrupted(isOver);
        }).createSSLEngine();
        engine.setUseClientMode(false);
        try (TlsLab lab = new TlsLab("TLSv1.3")) {
            TlsChannel channel = new TlsChannel(lab.channel, new TlsStream(engine, lab.pool));
            FutureTask<Integer> read = TlsLab.start(() -> channel.read(ByteBuffer.allocate(10)));
            FutureTask<Void> said = lab.startWriting(PING);
            isReached.await();
            TlsLab.get(TlsLab.start(() -> {
                channel.close();
                return null;
            }));
            assertFalse(lab.channel.isOpen());
            isOver.countDown();
            assertInstanceOf(ClosedChannelException.class, causeOf(read));
            assertInstanceOf(IOException.class, causeOf(said));
        } finally {
            isOver.countDown();
        }
    }

    private static void awaitUninterrupted(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** A reader computes, as the client negotiates again: what is written meanwhile does not wait in memory. */
    @Test
    void aWriterWaitsForAReadersTask() throws Exception {
        AtomicBoolean isShut = new AtomicBoolean();
        CountDownLatch isReached = new CountDownLatch(1);
        CountDownLatch isOver = new CountDownLatch(1);
        SSLEngine engine = TlsLab.context(() -> {
            if (isShut.get()) {
                isReached.countDown();
                awaitUninterrupted(isOver);
            }
        }).createSSLEngine();
        engine.setUseClientMode(false);
        System.setProperty(TlsLab.REFUSAL, "false");
        try (TlsLab lab = new TlsLab("TLSv1.2")) {
            TlsStream stream = new TlsStream(engine, lab.pool);
            TlsChannel channel = new TlsChannel(lab.channel, stream);
            FutureTask<Void> said = lab.startWriting(PING);
            assertArrayEquals(PING, read(channel, PING.length, false));
            TlsLab.get(said);
            isShut.set(true);
            FutureTask<Integer> read = TlsLab.start(() -> channel.read(ByteBuffer.allocate(10)));
            lab.client.getSession().invalidate();
            lab.client.startHandshake();
            isReached.await();
            FutureTask<Integer> written = TlsLab.start(() -> channel.write(ByteBuffer.allocate(1 << 20)));
            TlsLab.letBlock();
            assertFalse(written.isDone());
            assertEquals(0, TlsLab.get(TlsLab.start(stream::waiting)));
            isOver.countDown();
            assertEquals(1 << 20, lab.readByClient(1 << 20).length);
            assertEquals(1 << 20, TlsLab.get(written));
            channel.close();
            assertInstanceOf(ClosedChannelException.class, causeOf(read));
        } finally {
            System.clearProperty(TlsLab.REFUSAL);
            isOver.countDown();
        }
    }

    @Test
    void anInterruptCloses() throws Exception {
        try (TlsLab lab = new TlsLab("TLSv1.3"); TlsChannel channel = connected(lab)) {
            FutureTask<Integer> read = new FutureTask<>(() -> channel.read(ByteBuffer.allocate(10)));
            Thread reader = new Thread(read);
            reader.start();
            TlsLab.letBlock();
            reader.interrupt();
            assertInstanceOf(ClosedByInterruptException.class, causeOf(read));
            reader.join();
            assertFalse(channel.isOpen());
        }
    }

    @Test
    void isTheChannelBelowInAllElse() throws Exception {
        try (TlsLab lab = new TlsLab("TLSv1.3"); TlsChannel channel = connected(lab)) {
            assertTrue(channel.isConnected());
            assertFalse(channel.isConnectionPending());
            assertTrue(channel.finishConnect());
            assertTrue(channel.isBlocking());
            assertEquals(lab.channel.getLocalAddress(), channel.getLocalAddress());
            assertEquals(lab.channel.getRemoteAddress(), channel.getRemoteAddress());
            assertEquals(lab.channel.supportedOptions(), channel.supportedOptions());
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            assertTrue(channel.getOption(StandardSocketOptions.TCP_NODELAY));
            assertThrows(UnsupportedOperationException.class, () -> channel.configureBlocking(false));
            assertThrows(UnsupportedOperationException.class, channel::socket);
            assertThrows(AlreadyBoundException.class, () -> channel.bind(null));
            assertThrows(AlreadyConnectedException.class, () -> channel.connect(channel.getLocalAddress()));
        }
    }

    /** A channel whose handshake is finished. */
    private static TlsChannel connected(TlsLab lab) throws Exception {
        TlsChannel channel = new TlsChannel(lab.channel, lab.stream);
        FutureTask<Void> written = lab.startWriting(PING);
        assertArrayEquals(PING, read(channel, PING.length, false));
        TlsLab.get(written);
        return channel;
    }

    private static ByteBuffer buffer(byte[] bytes, boolean isDirect) {
        return isDirect ? ByteBuffer.allocateDirect(bytes.length).put(bytes).flip() : ByteBuffer.wrap(bytes);
    }

    private static byte[] read(TlsChannel channel, int length, boolean isDirect) throws IOException {
        ByteBuffer buffer = isDirect ? ByteBuffer.allocateDirect(length) : ByteBuffer.allocate(length);
        while (buffer.hasRemaining()) {
            assertTrue(channel.read(buffer) > 0);
        }
        byte[] bytes = new byte[length];
        buffer.flip().get(bytes);
        return bytes;
    }

    private static Throwable causeOf(FutureTask<?> task) {
        return assertThrows(ExecutionException.class, () -> TlsLab.get(task)).getCause();
    }
}
