// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.tls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A stream that gets no memory for a buffer breaks, and leaves all buffers where they belong. */
@Timeout(60)
@Tag("load")
class TlsMemoryTest {
    private static final byte[] SHORT = new byte[100];
    private static final byte[] LONG = new byte[100_000];

    private final BufferPool healthy = new BufferPool();
    private TlsStream client;
    private TlsStream server;

    private static SSLEngine engine(String protocol, boolean isClient) throws Exception {
        SSLEngine engine = TlsLab.context(true).createSSLEngine("localhost", 1);
        engine.setUseClientMode(isClient);
        engine.setEnabledProtocols(new String[] {protocol});
        return engine;
    }

    /** Has one receive what the other one sends; whether there was something. */
    private boolean transfer(TlsStream from, TlsStream to) throws SSLException {
        ByteBuffer sent = from.takeOutgoing();
        if (sent == null) {
            return false;
        }
        byte[] bytes = new byte[sent.remaining()];
        sent.get(bytes);
        from.buffers.giveBack(sent);
        int half = bytes.length / 2;
        Pump.receive(to, ByteBuffer.wrap(bytes, 0, half));
        Pump.receive(to, ByteBuffer.wrap(bytes, half, bytes.length - half));
        return true;
    }

    private void exchange() throws SSLException {
        boolean goesOn = true;
        while (goesOn) {
            goesOn = transfer(client, server) | transfer(server, client);
        }
    }

    private void converse() throws SSLException {
        server.send(ByteBuffer.wrap(SHORT)); // waits for the handshake
        exchange();
        client.send(ByteBuffer.wrap(LONG));
        exchange();
        server.received().position(server.received().limit());
        server.send(ByteBuffer.wrap(SHORT), true);
        server.send(ByteBuffer.wrap(SHORT), true);
        server.flush();
        server.send(ByteBuffer.wrap(LONG));
        exchange();
        assertEquals(3 * SHORT.length + LONG.length, client.received().remaining());
        server.close();
        exchange();
        assertTrue(client.isEnded());
    }

    @ParameterizedTest
    @CsvSource({"TLSv1.2,true", "TLSv1.2,false", "TLSv1.3,true", "TLSv1.3,false"})
    void eachBufferMayBeTheOneThatIsMissing(String protocol, boolean recovers) throws Exception {
        boolean fails = true;
        for (int n = 1; fails; n++) {
            FailingPool pool = new FailingPool(n, recovers);
            client = new TlsStream(engine(protocol, true), healthy);
            server = new TlsStream(engine(protocol, false), pool);
            SSLException failure = null;
            try {
                converse();
            } catch (SSLException e) {
                failure = e;
            }
            fails = pool.hasFailed();
            assertEquals(fails, failure != null);
            if (fails) {
                assertIsBroken(failure);
            }
            server.release();
            client.release();
            assertEquals(0, pool.out());
            assertTrue(!fails || n < 1000);
        }
    }

    private void assertIsBroken(SSLException failure) {
        assertInstanceOf(OutOfMemoryError.class, failure.getCause());
        assertSame(failure, server.failure());
        assertSame(failure, assertThrows(SSLException.class, () -> server.receive(TlsStream.NOTHING, 0)));
        assertSame(failure, assertThrows(SSLException.class, () -> server.send(ByteBuffer.wrap(SHORT))));
        assertSame(failure, assertThrows(SSLException.class, server::close));
    }
}
