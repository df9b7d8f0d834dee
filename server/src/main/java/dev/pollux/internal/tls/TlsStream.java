// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.tls;

import java.nio.ByteBuffer;
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
 * {@link #nextTask} has, on any thread, and calls {@link #receive} again then, without new bytes. While a task runs,
 * the JDK's engine holds its lock. So no method of the engine is called before the task ends: what is received, sent or
 * closed meanwhile waits here, and no call here waits for the task.
 *
 * <p>Whatever goes wrong breaks this connection alone, by an SSLException: the peer's error, a client that negotiates
 * again, an engine that throws what it may not, a lack of memory.
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

    /** A task that is about to run may never come, if something fails before: so often it is looked again. */
    private static final long PAUSE_MILLIS = 10;

    private static final String REFUSAL = "jdk.tls.rejectClientInitiatedRenegotiation";

    /** A session's before the first handshake has ended, as SSLEngine specifies it. */
    private static final String NO_CIPHER = "SSL_NULL_WITH_NULL_NULL";

    /** Short pieces are joined up to these bytes: nearly all that one record can have, of which engines take some. */
    private static final int RECORD = 16_000;

    /**
     * Bytes of ciphertext that may wait for the end of a task. Until then a peer is a stranger, and must not fill
     * memory. The flights of a handshake are shorter: the JDK takes no message of more than 32 KiB.
     */
    private static final int MAX_UNDECRYPTED = 1 << 16;

    /** A task of the engine: there is none; one runs, or will; one runs that is not waited for; none may run. */
    private enum Task { NONE, RUNS, LEFT, REFUSED }

    private final SSLEngine engine;
    BufferPool buffers;

    /** Ciphertext that was not decrypted yet, or null. */
    private ByteBuffer undecrypted;

    /** Plaintext that the caller has not read yet, or null. */
    private ByteBuffer received;

    /**
     * Plaintext for which the engine was not ready, as a handshake goes on, or null. Guarded by this, as all that
     * follows is; so records go out in the order in which the engine makes them.
     */
    private ByteBuffer waiting;

    /** Short plaintext that becomes one record with what follows it, or null. None if something waits. */
    private ByteBuffer joined;

    /** Ciphertext to be sent, or null. */
    private ByteBuffer outgoing;

    private volatile Task task = Task.NONE;

    /** It is to be closed when the task has ended. */
    private boolean closesLater;

    /** Something was lost, and no alert tells the peer. So it must not hear close_notify either. */
    private boolean isCut;

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

    /** Has another pool as the source of its buffers from now on. No other thread may use the stream meanwhile. */
    public void use(BufferPool others) {
        buffers.plaintext.moveTo(others.plaintext, received);
        buffers.moveTo(others, undecrypted);
        synchronized (this) {
            buffers.moveTo(others, waiting);
            buffers.moveTo(others, outgoing);
            buffers = others;
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

    /** {@return why the connection is broken, or null} */
    public SSLException failure() {
        return failure;
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
        try {
            requireNoFailure();
            boolean waits = awaitsTask();
            if (undecrypted != null || waits || ciphertext.isReadOnly()) {
                undecrypted = buffers.extend(undecrypted, ciphertext.remaining()).put(ciphertext).flip();
            }
            if (waits) {
                return false;
            }
            ByteBuffer source = undecrypted != null ? undecrypted : ciphertext;
            boolean hasStopped = unwrapAll(source, maxUnread);
            keepRest(source);
            wrapWaiting();
            return hasStopped;
        } catch (Throwable e) {
            throw fail(e);
        } finally {
            if (failure != null && undecrypted != null) {
                undecrypted.position(undecrypted.limit());
            }
            undecrypted = buffers.giveBackEmpty(undecrypted);
            trim();
        }
    }

    private void keepRest(ByteBuffer source) {
        if (isEnded) {
            source.position(source.limit()); // the specification has what follows ignored
        }
        if (undecrypted == null && source.hasRemaining()) {
            undecrypted = buffers.take(source.remaining()).put(source).flip();
        }
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
            if (status != HandshakeStatus.NEED_WRAP && !unwrap(source, status)) {
                return false;
            }
        }
    }

    /** Decrypts one record; false if that can't go on for now. */
    private boolean unwrap(ByteBuffer source, HandshakeStatus before) throws SSLException {
        int room = Math.min(source.remaining(), engine.getSession().getApplicationBufferSize());
        SSLEngineResult result = unwrap(source, room);
        while (result.getStatus() == Status.BUFFER_OVERFLOW) {
            room = 2 * (received.capacity() - received.remaining());
            result = unwrap(source, room);
        }
        if (result.getHandshakeStatus() == HandshakeStatus.NEED_TASK && isPeersRenegotiation(before)) {
            requireRenegotiationAllowed();
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

    /**
     * Whether the peer has begun the handshake that a task is for. If it resumes a session, it may do so in the record
     * that ends the first handshake, whose end the engine does not tell then.
     */
    private boolean isPeersRenegotiation(HandshakeStatus before) {
        return before == HandshakeStatus.NOT_HANDSHAKING
                || !isEstablished && !NO_CIPHER.equals(engine.getSession().getCipherSuite());
    }

    /**
     * The peer pays a small part of what a handshake costs. The JDK refuses that of a client only for the whole virtual
     * machine, by a property that it reads once; its value "false" allows it here, too.
     */
    private void requireRenegotiationAllowed() throws SSLException {
        boolean isRefused = !engine.getUseClientMode() && !"TLSv1.3".equals(engine.getSession().getProtocol())
                && !"false".equalsIgnoreCase(System.getProperty(REFUSAL));
        if (isRefused) {
            isCut = true; // the engine has no alert for it
            throw new SSLException("the client has begun a renegotiation, which is refused: -D" + REFUSAL
                    + "=false allows it");
        }
    }

    private boolean noteProgress(SSLEngineResult result) {
        if (result.getHandshakeStatus() == HandshakeStatus.FINISHED) {
            isEstablished = true;
        }
        return result.bytesConsumed() + result.bytesProduced() > 0;
    }

    /** Encrypts what the handshake has to say; false if there is still more of it. */
    private synchronized boolean wrapHandshake() throws SSLException {
        boolean goesOn = true;
        while (goesOn && engine.getHandshakeStatus() == HandshakeStatus.NEED_WRAP) {
            goesOn = wrap(NOTHING);
        }
        return engine.getHandshakeStatus() != HandshakeStatus.NEED_WRAP;
    }

    private synchronized void wrapWaiting() throws SSLException {
        encryptWaiting();
        if (closesLater && waiting == null) {
            closeNow();
        }
    }

    private void encryptWaiting() throws SSLException {
        if (waiting != null && isEstablished) {
            wrapAll(waiting);
            waiting = buffers.giveBackEmpty(waiting);
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
        int end = outgoing.position();
        try {
            SSLEngineResult result = engine.wrap(plaintext, outgoing);
            end = outgoing.position();
            return result;
        } finally {
            outgoing.position(end).flip(); // without a part of a record
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

    /** As {@link #send(ByteBuffer, boolean)}, with nothing to come. */
    public void send(ByteBuffer plaintext) throws SSLException {
        send(plaintext, false);
    }

    /**
     * Encrypts all that remains in a buffer. During a handshake it may be copied, to be encrypted when the handshake is
     * finished.
     *
     * @param isMoreToCome whether short plaintext may wait to be encrypted in one record with what follows it. The
     *     caller calls {@link #flush} then
     * @throws SSLException if nothing can be sent any more: the connection is broken, or closed, or the peer has closed
     *     it with TLS 1.2
     */
    public synchronized void send(ByteBuffer plaintext, boolean isMoreToCome) throws SSLException {
        boolean isTaken;
        try {
            requireNoFailure();
            isTaken = isMoreToCome && join(plaintext) || encryptJoined() && encrypt(plaintext);
        } catch (Throwable e) {
            throw fail(e);
        }
        requireOpen(isTaken);
    }

    private static void requireOpen(boolean isOpen) throws SSLException {
        if (!isOpen) {
            throw new SSLException("the TLS connection is closed: nothing can be sent");
        }
    }

    /** Puts plaintext behind what is joined, if that fits and the engine is ready. */
    private boolean join(ByteBuffer plaintext) {
        int size = joined == null ? 0 : joined.remaining();
        if (waiting != null || !isEstablished || awaitsTask() || plaintext.remaining() > RECORD - size) {
            return false;
        }
        joined = buffers.extend(joined, plaintext.remaining()).put(plaintext).flip();
        return true;
    }

    /** Encrypts what was kept to be joined with more. Throws as {@link #send(ByteBuffer, boolean)} does. */
    public synchronized void flush() throws SSLException {
        boolean isTaken;
        try {
            isTaken = failure != null || encryptJoined();
        } catch (Throwable e) {
            throw fail(e);
        }
        requireOpen(isTaken);
    }

    private boolean encryptJoined() throws SSLException {
        ByteBuffer all = joined;
        joined = null;
        try {
            return all == null || encrypt(all);
        } finally {
            buffers.giveBack(all);
        }
    }

    /** Encrypts plaintext, or has it wait; false if nothing can be sent any more. */
    private boolean encrypt(ByteBuffer plaintext) throws SSLException {
        if (!awaitsTask()) {
            wrapHandshake();
            encryptWaiting(); // or all that follows would wait, too, until something is received
            if (waiting == null && isEstablished) {
                wrapAll(plaintext);
            }
            if (plaintext.hasRemaining() && engine.isOutboundDone()) {
                return false;
            }
        }
        if (plaintext.hasRemaining()) {
            waiting = buffers.extend(waiting, plaintext.remaining()).put(plaintext).flip();
        }
        return true;
    }

    /** {@return how many bytes of plaintext wait for the end of a handshake, or of its task} */
    public synchronized int waiting() {
        return waiting == null ? 0 : waiting.remaining();
    }

    /** Gives up what waits: unless an alert has told the peer of a failure, it hears nothing more. */
    public synchronized void dropWaiting() {
        isCut |= failure == null && (waiting != null || joined != null);
        ByteBuffer first = waiting;
        ByteBuffer second = joined;
        waiting = null;
        joined = null;
        buffers.giveBack(first);
        buffers.giveBack(second);
    }

    /** {@return how many bytes are to be sent: of ciphertext, and those that {@link #flush} encrypts} */
    public synchronized int outgoing() {
        return (outgoing == null ? 0 : outgoing.remaining()) + (joined == null ? 0 : joined.remaining());
    }

    /** {@return the ciphertext to be sent, or null} It is the caller's, who gives it back to the pool. */
    public synchronized ByteBuffer takeOutgoing() {
        ByteBuffer taken = buffers.giveBackEmpty(outgoing);
        outgoing = null;
        return taken;
    }

    /** {@return whether a task of {@link #nextTask} is to end before the handshake can go on} */
    public boolean awaitsTask() {
        Task now = task;
        return now == Task.RUNS || now == Task.LEFT;
    }

    /** {@return whether a task is to end before more may be received} */
    public boolean isFull() {
        return awaitsTask() && undecrypted != null && undecrypted.remaining() >= MAX_UNDECRYPTED;
    }

    /**
     * {@return what is to be run before the handshake can go on, or null} There may be several, one after another. It
     * throws nothing: if it fails, the next call of {@link #receive} says so.
     */
    public synchronized Runnable nextTask() throws SSLException {
        try {
            Runnable next = task == Task.NONE && failure == null ? engine.getDelegatedTask() : null;
            if (next == null) {
                return null;
            }
            Runnable guarded = () -> run(next);
            task = Task.RUNS;
            return guarded;
        } catch (Throwable e) {
            throw fail(e);
        }
    }

    private void run(Runnable next) {
        Throwable thrown = null;
        try {
            next.run();
        } catch (Throwable e) {
            thrown = e;
        }
        synchronized (this) {
            try {
                if (thrown != null) {
                    fail(thrown);
                }
            } finally {
                task = task == Task.LEFT ? Task.REFUSED : Task.NONE;
                notifyAll();
            }
        }
    }

    /** Waits until no task runs or is about to, or {@link #refuseTasks} was called, or the connection is broken. */
    synchronized void awaitTask() throws InterruptedException {
        while (failure == null && (task == Task.RUNS || task == Task.NONE && needsTask())) {
            wait(PAUSE_MILLIS);
        }
    }

    private boolean needsTask() {
        return engine.getHandshakeStatus() == HandshakeStatus.NEED_TASK;
    }

    /** Has no further task run; false if there is one now, whose end is not waited for any more. */
    synchronized boolean refuseTasks() {
        task = awaitsTask() ? Task.LEFT : Task.REFUSED;
        notifyAll();
        return task == Task.REFUSED;
    }

    /**
     * Ends what is sent, by close_notify, or when a task has ended. The peer's data can still be received. What waits
     * is not sent, unless it waits for a task.
     *
     * @throws SSLException if the peer can't hear of the end, and must not take what it got for all
     */
    public synchronized void close() throws SSLException {
        try {
            if (isCut) {
                requireNoFailure();
            }
            if (awaitsTask()) {
                closesLater = true;
            } else if (failure == null) { // else an alert has told the peer
                closeNow();
            }
        } catch (Throwable e) {
            throw fail(e);
        }
    }

    private void closeNow() throws SSLException {
        closesLater = false;
        encryptJoined();
        engine.closeOutbound();
        boolean goesOn = true;
        while (goesOn && !engine.isOutboundDone()) {
            goesOn = wrap(NOTHING);
        }
    }

    /** Gives all memory back: the connection is gone. */
    public void release() {
        ByteBuffer ciphertext = undecrypted;
        ByteBuffer plaintext = received;
        undecrypted = null;
        received = null;
        buffers.giveBack(ciphertext);
        buffers.plaintext.giveBack(plaintext);
        dropWaiting();
        buffers.giveBack(takeOutgoing());
    }

    private void requireNoFailure() throws SSLException {
        if (failure != null) {
            throw failure;
        }
        if (isCut) {
            throw new SSLException("something that was to be sent is lost");
        }
    }

    /** The connection is broken. After an error of the protocol, an alert is encrypted that tells the peer. */
    private synchronized SSLException fail(Throwable e) {
        if (failure != null) {
            return failure;
        }
        if (e instanceof SSLException reason) {
            failure = reason;
            if (!isCut) {
                wrapAlert(reason);
            }
        } else {
            isCut = true; // before what may need memory
            failure = new SSLException("TLS has failed: " + e, e);
        }
        return failure;
    }

    private void wrapAlert(SSLException reason) {
        try {
            wrapHandshake();
        } catch (Throwable again) {
            isCut |= !(again instanceof SSLException); // an engine may tell of its failure at each call
            if (again != reason) {
                reason.addSuppressed(again);
            }
        }
    }
}
