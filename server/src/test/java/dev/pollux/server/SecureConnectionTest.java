// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.internal.tls.TlsLab;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSocket;

/** Connections with TLS: before their handshake is finished, and at their end. */
class SecureConnectionTest {
    private static final ByteBuffer PART = ByteBuffer.allocate(100_000);

    private static SSLEngine engine(boolean isClient) throws Exception {
        SSLEngine engine = TlsLab.context(true).createSSLEngine("localhost", 1);
        engine.setUseClientMode(isClient);
        return engine;
    }

    private static void assertOpens(CountDownLatch latch) throws InterruptedException {
        assertTrue(latch.await(ServerLab.PATIENCE, TimeUnit.NANOSECONDS));
    }

    /** Takes notes of what happens to it. */
    private static class Notes implements ConnectionHandler {
        final BlockingQueue<Connection> opened = new LinkedBlockingQueue<>();
        final BlockingQueue<CloseReason> closed = new LinkedBlockingQueue<>();
        final AtomicInteger received = new AtomicInteger();
        final AtomicInteger ends = new AtomicInteger();
        final CountDownLatch isWritable = new CountDownLatch(1);

        @Override
        public void onOpen(Exchange exchange) {
            opened.add(exchange.connection());
        }

        @Override
        public void onData(ByteBuffer data, Exchange exchange) throws Exception {
            received.addAndGet(data.remaining());
            ServerLab.skip(data);
        }

        @Override
        public void onWritable(Connection connection) {
            isWritable.countDown();
        }

        @Override
        public void onClose(Exchange exchange, CloseReason reason) {
            closed.add(reason);
        }

        CloseReason reason() throws InterruptedException {
            return closed.poll(ServerLab.PATIENCE, TimeUnit.NANOSECONDS);
        }

        void awaitBytes(int count) throws InterruptedException {
            for (long end = System.nanoTime() + ServerLab.PATIENCE; received.get() < count; Thread.sleep(1)) {
                assertTrue(System.nanoTime() < end, () -> "only " + received);
            }
        }
    }

    private static SSLSocket client(ServerLab lab) throws Exception {
        SSLContext context = TlsLab.context(true);
        InetSocketAddress address = (InetSocketAddress) lab.server().address();
        SSLSocket client = (SSLSocket) context.getSocketFactory().createSocket(address.getAddress(), address.getPort());
        client.setSoTimeout(20_000);
        return client;
    }

    /** A server that takes notes. */
    private static Notes serve(ServerLab lab) throws Exception {
        Notes notes = new Notes();
        lab.serve(lab.anywhere(() -> notes).tls(TlsLab.context(true)));
        return notes;
    }

    @EachMechanism
    void moreThanMayBePendingCanBeSentBeforeTheHandshake(ServerLab lab) throws Exception {
        Notes served = serve(lab);
        Notes notes = new Notes();
        Connection connection = lab.server().connect(lab.server().address(), notes, engine(true));
        int sent = 0;
        while (connection.send(PART)) {
            sent += PART.remaining();
        }
        assertOpens(notes.isWritable);
        served.awaitBytes(sent);
    }

    @EachMechanism
    void whatWasSentBeforeTheHandshakeArrivesThoughItIsClosed(ServerLab lab) throws Exception {
        Notes served = serve(lab);
        Notes notes = new Notes();
        Connection connection = lab.server().connect(lab.server().address(), notes, engine(true));
        connection.send(PART);
        connection.close();
        assertEquals(CloseReason.CLOSED, notes.reason());
        assertEquals(CloseReason.PEER, served.reason());
        assertEquals(PART.remaining(), served.received.get());
    }

    @EachMechanism
    void aPausedConnectionHasItsHandshake(ServerLab lab) throws Exception {
        Notes served = serve(lab);
        Connection connection = lab.server().connect(lab.server().address(), new Notes(), engine(true));
        connection.pause();
        connection.send(PART);
        served.awaitBytes(PART.remaining());
    }

    @EachMechanism
    void oneThatCannotConnectEndsThoughItHasSent(ServerLab lab) throws Exception {
        serve(lab);
        SocketAddress unreachable;
        try (ServerSocketChannel listener = ServerSocketChannel.open().bind(ServerLab.loopback(0))) {
            unreachable = listener.getLocalAddress();
        }
        Notes notes = new Notes();
        try {
            lab.server().connect(unreachable, notes, engine(true)).send(PART);
        } catch (IOException e) {
            return; // some systems tell at once
        }
        assertEquals(CloseReason.FAILED, notes.reason());
    }

    @EachMechanism
    void deferredRepliesAreGivenAfterTheEnd(ServerLab lab) throws Exception {
        ExecutorService thread = Executors.newSingleThreadExecutor();
        Notes notes = new Notes() {
            @Override
            public void onData(ByteBuffer data, Exchange exchange) {
                ByteBuffer letter = ByteBuffer.wrap(new byte[] {data.get()});
                Reply reply = exchange.defer();
                thread.execute(() -> reply.send(letter));
            }
        };
        lab.serve(lab.anywhere(() -> notes).tls(TlsLab.context(true)));
        byte[] letters = ServerLab.bytes("abcdefghijklmnopqrstuvwxyz").array();
        try (SSLSocket client = client(lab)) {
            for (byte letter : letters) {
                client.getOutputStream().write(letter); // a record each
            }
            client.shutdownOutput();
            assertArrayEquals(letters, client.getInputStream().readAllBytes());
        } finally {
            thread.shutdown();
        }
        assertEquals(CloseReason.PEER, notes.reason());
    }

    @EachMechanism
    void theEndComesOnceAndWhatWasLeftDoesNotComeAgain(ServerLab lab) throws Exception {
        Notes notes = new Notes() {
            @Override
            public void onData(ByteBuffer data, Exchange exchange) {
                received.incrementAndGet(); // consumes nothing
            }

            @Override
            public void onEnd(Exchange exchange) {
                ends.incrementAndGet();
                exchange.send(ByteBuffer.wrap(new byte[1]));
            }
        };
        lab.serve(lab.anywhere(() -> notes).tls(TlsLab.context(true)));
        try (SSLSocket client = client(lab)) {
            client.getOutputStream().write(1);
            client.shutdownOutput();
            assertEquals(0, client.getInputStream().read());
            Connection connection = notes.opened.take();
            int before = notes.received.get();
            for (int i = 0; i < 10; i++) {
                connection.pause();
                Thread.sleep(5);
                connection.resume();
                Thread.sleep(5);
            }
            assertEquals(1, notes.ends.get());
            assertEquals(before, notes.received.get());
            connection.close();
            assertEquals(-1, client.getInputStream().read());
        }
    }

    @EachMechanism
    void anExecutorOfTasksThatRejectsThemFailsOneConnection(ServerLab lab) throws Exception {
        ExecutorService none = Executors.newSingleThreadExecutor();
        none.shutdown();
        lab.serve(lab.anywhere(Notes::new).tls(() -> {
            try {
                return engine(false);
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }, none));
        for (int i = 0; i < 2; i++) {
            try (SSLSocket client = client(lab)) {
                client.startHandshake();
            } catch (IOException e) {
                // or the client takes it for the end
            }
            assertEquals(ServerErrorHandler.Place.CONNECTION, lab.problem().place());
        }
    }
}
