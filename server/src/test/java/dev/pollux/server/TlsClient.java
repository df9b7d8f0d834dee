// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pollux.internal.tls.TlsLab;
import dev.pollux.server.ServerLab.Peer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSocket;

/** The other side of a TLS connection: the JDK's own SSLSocket, which does not notice if close_notify is missing. */
final class TlsClient implements Peer, AutoCloseable {
    static final String[] PROTOCOLS = {"TLSv1.3", "TLSv1.2"};

    final Socket tcp;
    final SSLSocket socket;

    TlsClient(SocketAddress address, String protocol, boolean hasCertificate) throws Exception {
        this(new Socket(), address, protocol, hasCertificate);
    }

    /** Takes a socket that is not connected yet. */
    TlsClient(Socket tcp, SocketAddress address, String protocol, boolean hasCertificate) throws Exception {
        this.tcp = tcp;
        tcp.connect(address);
        tcp.setTcpNoDelay(true);
        tcp.setSoTimeout((int) TimeUnit.NANOSECONDS.toMillis(ServerLab.PATIENCE));
        socket = (SSLSocket) TlsLab.context(hasCertificate).getSocketFactory()
                .createSocket(tcp, "localhost", ((InetSocketAddress) address).getPort(), true);
        socket.setEnabledProtocols(new String[] {protocol});
    }

    /** One of the server that the lab has opened last. */
    static TlsClient of(ServerLab lab, String protocol) throws Exception {
        return of(lab, lab.server().address(), protocol);
    }

    static TlsClient of(ServerLab lab, SocketAddress address, String protocol) throws Exception {
        return lab.opened(new TlsClient(address, protocol, true));
    }

    /** An engine for a server. */
    static SSLEngine serverEngine() {
        return engine(false);
    }

    /** An engine for a client. */
    static SSLEngine clientEngine() {
        return engine(true);
    }

    private static SSLEngine engine(boolean isClient) {
        try {
            SSLEngine engine = TlsLab.context(true).createSSLEngine("localhost", 1);
            engine.setUseClientMode(isClient);
            return engine;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void say(String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
    }

    @Override
    public String hear(int length) throws IOException {
        return new String(socket.getInputStream().readNBytes(length), StandardCharsets.US_ASCII);
    }

    /** The server has ended the stream properly. */
    void assertIsAtEnd() throws IOException {
        assertEquals("", hear(1));
    }

    @Override
    public void close() throws IOException {
        tcp.close();
    }
}
