// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.tls;

import java.nio.ByteBuffer;
import java.util.concurrent.locks.ReentrantLock;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLEngineResult.Status;
import javax.net.ssl.SSLException;

/**
 * One TLS connection: what its socket receives becomes plaintext, what is to be sent becomes ciphertext. It transfers
 * nothing itself.
 *
 * <p>After each call of {@link #receive}, {@link #send} and {@link #close}, also one that throws, the caller sends what
 * {@link #takeOutgoing} has: parts of the handshake, data, alerts. After {@link #receive} it runs what
 * {@link #nextTask} has, on any thread, and calls {@link #receive} again then, without new bytes.
 *
 * <p>{@link #receive}, {@link #received}, {@link #trim} and {@link #release} are for one thread at a time, all else for
 * any. No lock is held for longer than it takes to encrypt. Allocation: what the engine allocates; buffers come from a
 * pool, and go back to it when they are empty.
 */
public final class TlsStream {
    public static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    /** Bytes of a record's header. With fewer, an engine may ask for the room that the largest record needs. */
    private static final int HEADER = 5;

    /** For more plaintext than that, the room for ciphertext grows as it is needed. */
    private static final int LARGE = 1 << 20;

    private final SSLEngine engine;
    BufferPool buffers;

    /** Ciphertext that was not decrypted yet, or null. */
    private ByteBuffer undecrypted;

    /** Plaintext that the caller has not read yet, or null. */
    private ByteBuffer received;

    /** Guards the two buffers below, and keeps records in the order in which the engine makes them. */
    private final ReentrantLock sending = new ReentrantLock();

    /** Plaintext for which the engine was not ready, as a handshake goes on, or null. */
    private ByteBuffer waiting;

    /** Ciphertext to be sent, or null. */
    private ByteBuffer outgoing;

    private volatile boolean isEstablished;
    private volatile boolean isEnded;
    private volatile SSLException failure;

    /** Takes an engine that is configured, and whose handshake has not begun. */
    public TlsStream(SSLEngine engine, BufferPool buffers) throws SSLException {
        this.engine = engine;
        this.buffers = buffers;
        engine.beginHandshake();
    }

    public SSLEngine engine() {
        return engine;
    }

    /** Has another pool as the source of its buffers from now on. Nobody may use the stream meanwhile. */
    public void use(BufferPool others) {
        buffers.plaintext.moveTo(others.plaintext, received);
        buffers.moveTo(others, undecrypted);
        sending.lock();
        try {
            buffers.moveTo(others, waiting);
            buffers.moveTo(others, outgoing);
            buffers = others;
        } finally {
            sending.unlock();
        }
    }

    /** {@return whether the first handshake is finished} */
    public boolean isEstablished() {
        return isEstablished;
    }

    /** {@return whether the peer has said, by close_notify, that it sends no more} */
    public boolean isEnded() {
        return isEnded;
    }

    /**
     * Takes all bytes of a buffer, which is not used after the call, and decrypts the complete records. The JDK's
     * engine does so in place: what was ciphertext is overwritten, and a read-only buffer costs a copy. It stops when
     * more than {@code maxUnread} bytes of plaintext are unread.
     *
     * <p>With TLS 1.2 nothing can be sent once a close_notify was decrypted. So a caller that wants to answer what came
     * before it sets {@code maxUnread} to the unread bytes that it has, and gets one record's at a time.
     *
     * @return whether it has stopped, so that there may be more; else the next call needs new bytes, or a task's end
     * @throws SSLException if the connection is broken; each further call throws it too
     */
    public boolean receive(ByteBuffer ciphertext, int maxUnread) throws SSLException {
        if (undecrypted != null || ciphertext.isReadOnly()) {
            undecrypted = buffers.extend(undecrypted, ciphertext.remaining()).put(ciphertext).flip();
        }
        ByteBuffer source = undecrypted != null ? undecrypted : ciphertext;
        try {
            requireNoFailure();
            boolean hasStopped = unwrapAll(source, maxUnread);
            wrapWaiting();
            return hasStopped;
        } catch (SSLException e) {
            throw fail(e);
        } finally {
            keepRest(source);
            trim();
        }
    }

    private void keepRest(ByteBuffer source) {
        if (isEnded || failure != null) {
            source.position(source.limit()); // the specification has what follows ignored
        }
        if (undecrypted == null && source.hasRemaining()) {
            undecrypted = buffers.take(source.remaining()).put(source).flip();
        }
        undecrypted = buffers.giveBackEmpty(undecrypted);
    }

    private boolean unwrapAll(ByteBuffer source, int maxUnread) throws SSLException {
        while (true) {
            HandshakeStatus status = engine.getHandshakeStatus();
            if (status == HandshakeStatus.NEED_TASK || status == HandshakeStatus.NEED_WRAP && !wrapHandshake()) {
                return false;
            }
            if (isEnded || source.remaining() < HEADER) {
                return false;
            }
            if (received().remaining() > maxUnread) {
                return true;
            }
            if (status != HandshakeStatus.NEED_WRAP && !unwrap(source)) {
                return false;
            }
        }
    }

    /** Decrypts one record; false if that can't go on for now. */
    private boolean unwrap(ByteBuffer source) throws SSLException {
        int room = Math.min(source.remaining(), engine.getSession().getApplicationBufferSize());
        SSLEngineResult result = unwrap(source, room);
        while (result.getStatus() == Status.BUFFER_OVERFLOW) {
            room = 2 * (received.capacity() - received.remaining());
            result = unwrap(source, room);
        }
        if (result.getStatus() == Status.CLOSED) {
            isEnded = true;
        }
        return result.getStatus() == Status.CLOSED || noteProgress(result) // or a record of another thread comes first
                || result.getStatus() == Status.OK && engine.getHandshakeStatus() == HandshakeStatus.NEED_WRAP;
    }

    private SSLEngineResult unwrap(ByteBuffer source, int room) throws SSLException {
        received = buffers.plaintext.extend(received, room);
        try {
            return engine.unwrap(source, received);
        } finally {
            received.flip();
        }
    }

    private boolean noteProgress(SSLEngineResult result) {
        if (result.getHandshakeStatus() == HandshakeStatus.FINISHED) {
            isEstablished = true;
        }
        return result.bytesConsumed() + result.bytesProduced() > 0;
    }

    /** Encrypts what the handshake has to say; false if there is still more of it. */
    private boolean wrapHandshake() throws SSLException {
        sending.lock();
        try {
            boolean goesOn = true;
            while (goesOn && engine.getHandshakeStatus() == HandshakeStatus.NEED_WRAP) {
                goesOn = wrap(NOTHING);
            }
            return engine.getHandshakeStatus() != HandshakeStatus.NEED_WRAP;
        } finally {
            sending.unlock();
        }
    }

    private void wrapWaiting() throws SSLException {
        sending.lock();
        try {
            if (waiting != null && isEstablished) {
                wrapAll(waiting);
                waiting = buffers.giveBackEmpty(waiting);
            }
        } finally {
            sending.unlock();
        }
    }

    /** Until all is encrypted, or the engine is not ready. */
    private void wrapAll(ByteBuffer plaintext) throws SSLException {
        boolean goesOn = true;
        while (goesOn && plaintext.hasRemaining()) {
            goesOn = wrap(plaintext);
        }
    }

    /** Makes one record, which may be the handshake's; false if that can't go on for now. */
    private boolean wrap(ByteBuffer plaintext) throws SSLException {
        int room = Math.min(plaintext.remaining(), LARGE) + engine.getSession().getPacketBufferSize();
        SSLEngineResult result = wrap(plaintext, room);
        while (result.getStatus() == Status.BUFFER_OVERFLOW) {
            room = 2 * (outgoing.capacity() - outgoing.remaining());
            result = wrap(plaintext, room);
        }
        return noteProgress(result);
    }

    private SSLEngineResult wrap(ByteBuffer plaintext, int room) throws SSLException {
        outgoing = buffers.extend(outgoing, room);
        try {
            return engine.wrap(plaintext, outgoing);
        } finally {
            outgoing.flip();
        }
    }

    /**
     * The socket has received its end.
     *
     * @throws SSLException if the peer has not said so before
     */
    public void receiveEnd() throws SSLException {
        requireNoFailure();
        if (!isEnded) {
            throw new SSLException("the connection has ended without close_notify: what it has sent may be incomplete");
        }
    }

    /** {@return the plaintext that was received and not read} The caller reads it; {@link #receive} changes it. */
    public ByteBuffer received() {
        return received == null ? NOTHING : received;
    }

    /** Puts plaintext before what is unread. */
    public void putBack(ByteBuffer plaintext) {
        ByteBuffer all = buffers.plaintext.take(plaintext.remaining() + received().remaining());
        all.put(plaintext).put(received()).flip();
        buffers.plaintext.giveBack(received);
        received = all;
        trim();
    }

    /** Gives back the memory of plaintext that was read. */
    public void trim() {
        received = buffers.plaintext.giveBackEmpty(received);
    }

    /**
     * Encrypts all that remains in a buffer. During a handshake it may be copied, to be encrypted when the handshake is
     * finished.
     *
     * @throws SSLException if nothing can be sent any more: the connection is broken, or closed, or the peer has closed
     *     it with TLS 1.2
     */
    public void send(ByteBuffer plaintext) throws SSLException {
        sending.lock();
        try {
            requireNoFailure();
            wrapHandshake();
            if (waiting == null && isEstablished) {
                wrapAll(plaintext);
            }
            if (plaintext.hasRemaining()) {
                if (engine.isOutboundDone()) {
                    throw new SSLException("the TLS connection is closed: nothing can be sent");
                }
                waiting = buffers.extend(waiting, plaintext.remaining()).put(plaintext).flip();
            }
        } catch (SSLException e) {
            throw engine.isOutboundDone() ? e : fail(e);
        } finally {
            sending.unlock();
        }
    }

    /** {@return how many bytes of plaintext wait for the end of a handshake} */
    public int waiting() {
        sending.lock();
        try {
            return waiting == null ? 0 : waiting.remaining();
        } finally {
            sending.unlock();
        }
    }

    /** Gives up what waits. */
    public void dropWaiting() {
        sending.lock();
        try {
            buffers.giveBack(waiting);
            waiting = null;
        } finally {
            sending.unlock();
        }
    }

    /** {@return how many bytes of ciphertext are to be sent} */
    public int outgoing() {
        sending.lock();
        try {
            return outgoing == null ? 0 : outgoing.remaining();
        } finally {
            sending.unlock();
        }
    }

    /** {@return the ciphertext to be sent, or null} It is the caller's, who gives it back to the pool. */
    public ByteBuffer takeOutgoing() {
        sending.lock();
        try {
            ByteBuffer taken = buffers.giveBackEmpty(outgoing);
            outgoing = null;
            return taken;
        } finally {
            sending.unlock();
        }
    }

    /** {@return whether a task of {@link #nextTask} is to end before the handshake can go on} */
    public boolean awaitsTask() {
        return engine.getHandshakeStatus() == HandshakeStatus.NEED_TASK;
    }

    /** {@return what is to be run before the handshake can go on, or null} There may be several, one after another. */
    public Runnable nextTask() {
        return engine.getDelegatedTask();
    }

    /** Ends what is sent, by close_notify. The peer's data can still be received. What waits is not sent. */
    public void close() throws SSLException {
        sending.lock();
        try {
            engine.closeOutbound();
            boolean goesOn = true;
            while (goesOn && !engine.isOutboundDone()) {
                goesOn = wrap(NOTHING);
            }
        } finally {
            sending.unlock();
        }
    }

    /** Gives all memory back: the connection is gone. */
    public void release() {
        buffers.giveBack(undecrypted);
        undecrypted = null;
        buffers.plaintext.giveBack(received);
        received = null;
        dropWaiting();
        sending.lock();
        try {
            buffers.giveBack(outgoing);
            outgoing = null;
        } finally {
            sending.unlock();
        }
    }

    private void requireNoFailure() throws SSLException {
        if (failure != null) {
            throw failure;
        }
    }

    /** Has the alert encrypted that tells the peer of a failure. */
    private SSLException fail(SSLException e) {
        if (failure == null) {
            failure = e;
            try {
                wrapHandshake();
            } catch (SSLException again) { // the engine may tell of its failure at each call
                if (again != e) {
                    e.addSuppressed(again);
                }
            }
        }
        return e;
    }
}
