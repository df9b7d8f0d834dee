// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.tls;

import java.io.IOException;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.nio.ByteBuffer;
import java.nio.channels.AlreadyBoundException;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import javax.net.ssl.SSLException;

/**
 * A blocking channel of plaintext over a connected, blocking channel of ciphertext. It goes on in whatever state the
 * {@link TlsStream} is: with bytes that were received already, also in the middle of a handshake, whose tasks run on
 * the calling thread.
 *
 * <p>For any thread: reading and writing don't wait for each other, except for the first handshake. Allocation: that of
 * the stream.
 */
public final class TlsChannel extends SocketChannel {
    /** Bytes that are encrypted before they are written. */
    private static final int CHUNK = 1 << 16;

    /** Bytes that may wait for a writer: its own, and answers of TLS that the peer asks for while it reads nothing. */
    private static final int MAX_WAITING = 4 * CHUNK;

    /** The largest record, nearly. */
    private static final int RECEIVED_AT_ONCE = 1 << 14;

    private final SocketChannel channel;
    private final TlsStream stream;

    /** Held while the stream receives, once {@link #isReady}. */
    private final ReentrantLock reading = new ReentrantLock();

    /** Held while something is written. Who has {@link #reading} never waits for it: {@link #flush}. */
    private final ReentrantLock writing = new ReentrantLock();

    /** Held while the stream receives before {@link #isReady}, by a reader or a writer. */
    private final ReentrantLock handshaking = new ReentrantLock();

    private volatile boolean isReady;
    private volatile boolean isInputShut;
    private volatile boolean isOutputShut;

    public TlsChannel(SocketChannel channel, TlsStream stream) {
        super(channel.provider());
        this.channel = channel;
        this.stream = stream;
    }

    public TlsStream stream() {
        return stream;
    }

    /** {@return the channel of ciphertext} */
    public SocketChannel channel() {
        return channel;
    }

    @Override
    public int read(ByteBuffer target) throws IOException {
        return (int) read(new ByteBuffer[] {target}, 0, 1);
    }

    @Override
    public long read(ByteBuffer[] targets, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, targets.length);
        try {
            reading.lock();
            try {
                requireOpen();
                completeHandshake();
                if (remaining(targets, offset, length) == 0) {
                    return 0;
                }
                return isAtEnd() ? -1 : copyReceived(targets, offset, length);
            } finally {
                reading.unlock();
            }
        } finally {
            closeIfChannelIsClosed();
        }
    }

    private static long remaining(ByteBuffer[] buffers, int offset, int length) {
        long remaining = 0;
        for (int i = offset; i < offset + length; i++) {
            remaining += buffers[i].remaining();
        }
        return remaining;
    }

    /** Waits for the end, or for bytes. */
    private boolean isAtEnd() throws IOException {
        while (!isInputShut && !stream.received().hasRemaining() && !stream.isEnded()) {
            receive();
        }
        return isInputShut || !stream.received().hasRemaining();
    }

    private int copyReceived(ByteBuffer[] targets, int offset, int length) {
        ByteBuffer received = stream.received();
        int before = received.remaining();
        for (int i = offset; i < offset + length; i++) {
            int size = Math.min(received.remaining(), targets[i].remaining());
            targets[i].put(targets[i].position(), received, received.position(), size);
            targets[i].position(targets[i].position() + size);
            received.position(received.position() + size);
        }
        stream.trim();
        return before - received.remaining();
    }

    private void completeHandshake() throws IOException {
        if (isReady) {
            return;
        }
        handshaking.lock();
        try {
            while (!stream.isEstablished()) {
                if (stream.isEnded()) {
                    throw new SSLException("the peer has closed the connection during the handshake");
                }
                receive();
            }
            isReady = true;
        } finally {
            handshaking.unlock();
        }
    }

    /** Has the stream go on with what it has, or, if that is not enough, with what the channel receives next. */
    private void receive() throws IOException {
        if (goOn(TlsStream.NOTHING)) {
            return;
        }
        ByteBuffer ciphertext = stream.buffers.take(RECEIVED_AT_ONCE);
        try {
            if (channel.read(ciphertext) >= 0) {
                goOn(ciphertext.flip());
            } else {
                receiveEnd();
            }
        } finally {
            stream.buffers.giveBack(ciphertext);
        }
    }

    private void receiveEnd() throws IOException {
        if (!isOpen()) {
            throw new AsynchronousCloseException(); // close has woken this thread
        }
        if (!isInputShut || !isReady) {
            stream.receiveEnd();
        }
    }

    /** Whether anything has come of it that a caller of {@link #receive} may wait for. */
    private boolean goOn(ByteBuffer ciphertext) throws IOException {
        boolean wasEstablished = stream.isEstablished();
        try {
            stream.receive(ciphertext, 0);
            for (Runnable task = stream.nextTask(); task != null; task = stream.nextTask()) {
                task.run();
                stream.receive(TlsStream.NOTHING, 0);
            }
        } catch (SSLException e) {
            throw sendAlert(e);
        }
        flush();
        return stream.received().hasRemaining() || stream.isEnded() || stream.isEstablished() != wasEstablished;
    }

    private SSLException sendAlert(SSLException e) {
        try {
            flush();
        } catch (IOException again) { // the peer has gone, perhaps: what it did wrong says more
            e.addSuppressed(again);
        }
        return e;
    }

    /**
     * Sends what the stream has, unless a writer is at work: that one does it when it has finished. A reader that
     * waited for it would not read, and the peer may not read either before it has written.
     */
    private void flush() throws IOException {
        for (int size = stream.outgoing(); size > 0; size = stream.outgoing()) {
            if (size > MAX_WAITING) {
                throw new IOException("the peer asks TLS for answers, and does not read");
            }
            if (!writing.tryLock()) {
                return;
            }
            try {
                writeOutgoing();
            } finally {
                writing.unlock();
            }
        }
    }

    private void writeOutgoing() throws IOException {
        ByteBuffer outgoing = stream.takeOutgoing();
        try {
            while (outgoing != null && outgoing.hasRemaining()) {
                channel.write(outgoing);
            }
        } finally {
            stream.buffers.giveBack(outgoing);
        }
    }

    @Override
    public int write(ByteBuffer source) throws IOException {
        return (int) write(new ByteBuffer[] {source}, 0, 1);
    }

    @Override
    public long write(ByteBuffer[] sources, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, sources.length);
        try {
            long written = 0;
            requireOpen();
            completeHandshake(); // without the lock: a reader may be in the middle of it, and sends what belongs to it
            writing.lock();
            try {
                requireOpen();
                if (isOutputShut) {
                    throw new ClosedChannelException();
                }
                for (int i = offset; i < offset + length; i++) {
                    written += send(sources[i]);
                }
                writeOutgoing();
            } catch (SSLException e) {
                throw sendAlert(e);
            } finally {
                writing.unlock();
            }
            flush(); // what a reader has left to this thread
            return written;
        } finally {
            closeIfChannelIsClosed();
        }
    }

    private int send(ByteBuffer source) throws IOException {
        int size = source.remaining();
        int end = source.limit();
        try {
            while (source.position() < end) {
                awaitTask();
                source.limit(Math.min(end, source.position() + CHUNK));
                stream.send(source);
                if (stream.outgoing() >= CHUNK) {
                    writeOutgoing();
                }
            }
        } finally {
            source.limit(end);
        }
        return size;
    }

    /** What is written while a reader runs a task would have to wait in memory. */
    private void awaitTask() throws IOException {
        try {
            stream.awaitTask();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            channel.close(); // as any channel that blocks does
            throw new ClosedByInterruptException();
        }
        requireOpen();
    }

    @Override
    public SocketChannel shutdownInput() throws IOException {
        requireOpen();
        isInputShut = true;
        channel.shutdownInput();
        return this;
    }

    /** Sends close_notify. The channel below goes on: the peer may want answers that are TLS's own. */
    @Override
    public SocketChannel shutdownOutput() throws IOException {
        writing.lock();
        try {
            requireOpen();
            isOutputShut = true;
            stream.close();
            writeOutgoing();
        } finally {
            writing.unlock();
        }
        return this;
    }

    @Override
    protected void implCloseSelectableChannel() throws IOException {
        try {
            boolean isIdle = stream.refuseTasks(); // else close_notify, and the readers' leaving, would wait for a task
            if (isIdle && channel.isOpen() && writing.tryLock()) { // else a writer has filled the socket
                try {
                    closeIdle();
                } finally {
                    writing.unlock();
                }
            }
        } finally {
            channel.close();
        }
    }

    /** Has all readers leave, so that it can say close_notify without blocking, as far as the socket takes it. */
    private void closeIdle() {
        try {
            lockAgainstReaders(reading);
            try {
                lockAgainstReaders(handshaking);
                try {
                    sayCloseNotify();
                } finally {
                    handshaking.unlock();
                }
            } finally {
                reading.unlock();
            }
        } catch (IOException e) {
            // the peer sees that the connection ends without close_notify
        }
    }

    private void lockAgainstReaders(ReentrantLock lock) throws IOException {
        if (!lock.tryLock()) {
            channel.shutdownInput();
            lock.lock();
        }
    }

    private void sayCloseNotify() throws IOException {
        channel.configureBlocking(false);
        try {
            stream.close();
            ByteBuffer outgoing = stream.takeOutgoing();
            if (outgoing != null) {
                channel.write(outgoing);
                stream.buffers.giveBack(outgoing);
            }
        } finally {
            stream.release();
        }
    }

    private void requireOpen() throws ClosedChannelException {
        if (!isOpen()) {
            throw new ClosedChannelException();
        }
    }

    /** An interrupt has closed it, perhaps. */
    private void closeIfChannelIsClosed() throws IOException {
        if (!channel.isOpen()) {
            close();
        }
    }

    @Override
    protected void implConfigureBlocking(boolean block) {
        if (!block) {
            throw new UnsupportedOperationException("a TLS channel of the slow path is always blocking");
        }
    }

    @Override
    public Socket socket() {
        throw new UnsupportedOperationException("a TLS channel has no socket: use the channel's own methods");
    }

    @Override
    public SocketChannel bind(SocketAddress local) {
        throw new AlreadyBoundException();
    }

    @Override
    public boolean connect(SocketAddress remote) {
        throw new AlreadyConnectedException();
    }

    @Override
    public boolean finishConnect() throws IOException {
        return channel.finishConnect();
    }

    @Override
    public boolean isConnected() {
        return channel.isConnected();
    }

    @Override
    public boolean isConnectionPending() {
        return channel.isConnectionPending();
    }

    @Override
    public SocketAddress getRemoteAddress() throws IOException {
        return channel.getRemoteAddress();
    }

    @Override
    public SocketAddress getLocalAddress() throws IOException {
        return channel.getLocalAddress();
    }

    @Override
    public <T> SocketChannel setOption(SocketOption<T> name, T value) throws IOException {
        channel.setOption(name, value);
        return this;
    }

    @Override
    public <T> T getOption(SocketOption<T> name) throws IOException {
        return channel.getOption(name);
    }

    @Override
    public Set<SocketOption<?>> supportedOptions() {
        return channel.supportedOptions();
    }
}
