// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import dev.pollux.internal.tls.BufferPool;
import dev.pollux.internal.tls.TlsStream;
import java.nio.ByteBuffer;
import javax.net.ssl.SSLException;

/**
 * Bytes that are sent by TLS: a {@link TlsStream} has them, and also what was received. Beside that stands how far the
 * handler has come with what was received, for the loop's thread.
 */
final class TlsOutbound implements Outbound {
    private static final int MAX_FLIGHTS = 2;

    final TlsStream stream;
    private final BufferPool memory;

    /** Decrypted bytes that the handler has seen without consuming them, and that come again with more behind them. */
    int awaiting;

    /** The socket has received its end. What is here of before is handled first. */
    boolean hasReceivedAll;

    TlsOutbound(TlsStream stream, BufferPool memory) {
        this.stream = stream;
        this.memory = memory;
        stream.use(memory);
    }

    @Override
    public void append(ByteBuffer bytes, int from, int length, boolean isMoreToCome) throws SSLException {
        stream.send(bytes.duplicate().limit(from + length).position(from), isMoreToCome);
    }

    @Override
    public void append(ByteBuffer written, boolean isMoreToCome) throws SSLException {
        try {
            stream.send(written.flip(), isMoreToCome);
        } finally {
            memory.giveBack(written);
        }
    }

    @Override
    public long pending() {
        return (long) stream.outgoing() + stream.waiting();
    }

    @Override
    public boolean mayBePassed() {
        return false;
    }

    @Override
    public void flush() throws SSLException {
        stream.flush();
    }

    @Override
    public ByteBuffer next() {
        ByteBuffer ciphertext = stream.takeOutgoing();
        return ciphertext == null ? null : ciphertext.position(ciphertext.limit());
    }

    @Override
    public int maxFlights() {
        return MAX_FLIGHTS;
    }

    @Override
    public boolean isFlushed(boolean isDropped) {
        return pending() == 0 && (isDropped || !stream.awaitsTask());
    }

    @Override
    public boolean end() throws SSLException {
        if (!awaitsHandshake()) {
            stream.close();
        }
        return true;
    }

    @Override
    public void drop() {
        stream.dropWaiting();
    }

    @Override
    public void release(BufferPool slowPath) {
        if (slowPath == null) {
            stream.release();
        } else {
            stream.use(slowPath);
        }
    }

    @Override
    public SSLException failure() {
        return stream.failure();
    }

    @Override
    public boolean isEstablished() {
        return stream.isEstablished();
    }

    @Override
    public boolean awaitsHandshake() {
        return stream.waiting() > 0;
    }

    @Override
    public boolean isFull() {
        return stream.isFull();
    }

    @Override
    public boolean hasUnread() {
        return stream.received().hasRemaining();
    }
}
