// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.internal.tls.TlsLab;
import dev.pollux.lab.Job;
import dev.pollux.server.ConnectTest.Events;
import dev.pollux.server.ServerErrorHandler.Place;
import dev.pollux.server.ServerLab.Client;
import java.io.InputStream;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;

/** Connections by TLS that a server opens itself. */
class TlsConnectTest {

    private static SSLEngine engine(String protocol) {
        SSLEngine engine = TlsClient.clientEngine();
        engine.setEnabledProtocols(new String[] {protocol});
        return engine;
    }

    private static SSLServerSocket listener(ServerLab lab) throws Exception {
        SSLServerSocket listener = lab.opened((SSLServerSocket) TlsLab.context(true).getServerSocketFactory()
                .createServerSocket());
        listener.bind(ServerLab.loopback(0));
        listener.setSoTimeout((int) TimeUnit.NANOSECONDS.toMillis(ServerLab.PATIENCE));
        return listener;
    }

    /** Echoes all that comes, until it ends. */
    private static Job<String> startEchoing(ServerLab lab, SSLServerSocket listener) {
        return lab.start(() -> {
            try (SSLSocket socket = (SSLSocket) listener.accept()) {
                StringBuilder all = new StringBuilder();
                byte[] some = new byte[1000];
                InputStream in = socket.getInputStream();
                for (int read = in.read(some); read >= 0; read = in.read(some)) {
                    all.append(ServerLab.text(ByteBuffer.wrap(some, 0, read)));
                    socket.getOutputStream().write(some, 0, read);
                }
                return all.toString();
            }
        });
    }

    @EachMechanism
    void itTalksToTheJdksServer(ServerLab lab) throws Exception {
        lab.serve(() -> ServerLab::echo);
        SSLServerSocket listener = listener(lab);
        for (String protocol : TlsClient.PROTOCOLS) {
            Job<String> echoing = startEchoing(lab, listener);
            Events recorder = new Events();
            Connection connection = lab.server().connect(listener.getLocalSocketAddress(), recorder, engine(protocol));
            assertTrue(connection.send(ServerLab.bytes("sent "), ServerLab.bytes("before")));
            recorder.assertNext("open");
            assertEquals(protocol, connection.sslEngine().getSession().getProtocol());
            recorder.assertHears("sent before");
            connection.send(ServerLab.bytes("sent later"));
            recorder.assertNext("sent later");
            connection.close();
            assertEquals("sent beforesent later", echoing.result());
            recorder.assertLast(CloseReason.CLOSED);
        }
        lab.assertNoProblem();
    }

    /** The handshake is still to come when it is told to end. */
    @EachMechanism
    void whatWasSentBeforeItIsClosedArrives(ServerLab lab) throws Exception {
        lab.serve(() -> ServerLab::echo);
        SSLServerSocket listener = listener(lab);
        for (String protocol : TlsClient.PROTOCOLS) {
            for (boolean isClosed : new boolean[] {true, false}) {
                Job<String> reading = lab.start(() -> {
                    try (SSLSocket socket = (SSLSocket) listener.accept()) {
                        return ServerLab.text(ByteBuffer.wrap(socket.getInputStream().readAllBytes()));
                    }
                });
                Connection connection = lab.server().connect(listener.getLocalSocketAddress(), new Events(),
                        engine(protocol));
                assertTrue(connection.send(ServerLab.bytes("last words")));
                if (isClosed) {
                    connection.close();
                } else {
                    connection.shutdownOutput();
                }
                assertFalse(connection.send(ServerLab.bytes("more")));
                assertEquals("last words", reading.result());
                lab.until(counts -> counts.open() == 0);
            }
        }
    }

    @EachMechanism
    void oneServerTalksToAnother(ServerLab lab) throws Exception {
        StreamServer secure = lab.serve(lab.anywhere(() -> ServerLab::echo).tls(TlsLab.context(true)).loops(2));
        lab.serve(() -> ServerLab::echo);
        for (String protocol : TlsClient.PROTOCOLS) {
            for (int i = 0; i < 10; i++) {
                Events recorder = new Events();
                Connection connection = lab.server().connect(secure.address(), recorder, engine(protocol));
                connection.send(ServerLab.bytes("what I say"));
                recorder.assertNext("open");
                recorder.assertNext("what I say");
                connection.shutdownOutput();
                recorder.assertNext("end");
                recorder.assertLast(CloseReason.PEER);
            }
        }
        lab.assertNoProblem();
    }

    @EachMechanism
    void aServerThatIsNotTrustedIsAFailure(ServerLab lab) throws Exception {
        StreamServer secure = lab.serve(lab.anywhere(() -> ServerLab::echo).tls(TlsLab.context(true)));
        lab.serve(() -> ServerLab::echo);
        SSLEngine engine = SSLContext.getDefault().createSSLEngine();
        engine.setUseClientMode(true);
        Events recorder = new Events();
        Connection connection = lab.server().connect(secure.address(), recorder, engine);
        connection.send(ServerLab.bytes("secret"));
        recorder.assertLast(CloseReason.FAILED);
        for (int i = 0; i < 2; i++) { // of each server
            assertInstanceOf(SSLException.class, lab.problem().error());
        }
        assertFalse(connection.isOpen());
    }

    @EachMechanism
    void aRefusalIsAFailure(ServerLab lab) throws Exception {
        StreamServer gone = lab.serve(() -> ServerLab::echo);
        gone.close();
        lab.serve(() -> ServerLab::echo);
        Events recorder = new Events();
        lab.server().connect(gone.address(), recorder, TlsClient.clientEngine()).send(ServerLab.bytes("x"));
        recorder.assertLast(CloseReason.FAILED);
        assertEquals(Place.CONNECTION, lab.problem().place());
        lab.until(counts -> counts.open() == 0);
        lab.assertNoProblem();
    }

    /** Passes all on to another connection, which does the same. What is not accepted waits. */
    private static final class Pipe implements ConnectionHandler {
        private final SocketAddress target;
        private Connection other;

        Pipe(SocketAddress target) {
            this.target = target;
        }

        Pipe(Connection other) {
            this.target = null;
            this.other = other;
        }

        /** The other connection: that of the client has it attached. */
        private Connection other(Exchange exchange) {
            return target == null ? other : (Connection) exchange.connection().attachment();
        }

        @Override
        public void onOpen(Exchange exchange) throws Exception {
            if (target != null) {
                Connection near = exchange.connection();
                near.attach(exchange.server().connect(target, new Pipe(near)));
            }
        }

        @Override
        public void onData(ByteBuffer data, Exchange exchange) {
            if (other(exchange).send(data)) {
                ServerLab.skip(data);
            } else {
                exchange.connection().pause();
            }
        }

        @Override
        public void onWritable(Connection connection) {
            (target == null ? other : (Connection) connection.attachment()).resume();
        }

        @Override
        public void onEnd(Exchange exchange) {
            other(exchange).shutdownOutput();
        }

        @Override
        public void onClose(Exchange exchange, CloseReason reason) {
            if (other(exchange) != null) {
                other(exchange).close();
            }
        }
    }

    @EachMechanism
    void aProxyDecrypts(ServerLab lab) throws Exception {
        StreamServer plain = lab.serve(() -> ServerLab::echo);
        lab.serve(lab.anywhere(() -> new Pipe(plain.address())).tls(TlsLab.context(true)).maxPending(1 << 16).loops(2));
        String said = "what I say ".repeat(100_000);
        for (String protocol : TlsClient.PROTOCOLS) {
            TlsClient client = TlsClient.of(lab, protocol);
            Job<Void> saying = lab.start(() -> {
                client.say(said);
                return null;
            });
            client.assertHears(said);
            saying.result();
            client.socket.close();
            lab.until(counts -> counts.open() == 0);
        }
        lab.assertNoProblemBut(Place.CONNECTION);
    }

    @EachMechanism
    void aProxyEncrypts(ServerLab lab) throws Exception {
        StreamServer secure = lab.serve(lab.anywhere(() -> ServerLab::echo).tls(TlsLab.context(true)));
        lab.serve(() -> new ConnectionHandler() {
            @Override
            public void onOpen(Exchange exchange) throws Exception {
                Connection near = exchange.connection();
                near.attach(exchange.server().connect(secure.address(), new Pipe(near), TlsClient.clientEngine()));
            }

            @Override
            public void onData(ByteBuffer data, Exchange exchange) {
                ((Connection) exchange.connection().attachment()).send(data);
                ServerLab.skip(data);
            }
        });
        Client client = lab.client();
        for (int i = 0; i < 10; i++) {
            client.say("what I say");
            client.assertHears("what I say");
        }
        lab.assertNoProblem();
    }
}
