// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import java.io.IOException;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import javax.net.ssl.SSLEngine;

/**
 * A connection of a {@link StreamServer} that outlives a call of its handler: of {@link Exchange#connection} or {@link
 * StreamServer#connect}. An interface, so that a test of a handler can have its own.
 *
 * <p>Sending and receiving are independent for such a connection: its requests are handled also while the other side
 * does not read, until {@link StreamServerBuilder#maxPending} bytes are pending.
 *
 * <p>Safe for use by many threads, but for the socket's options, which are for the loop's, and never blocks. Nothing
 * but these throws if the connection has ended: it has no effect. Allocation: memory for what is pending, which is used
 * again by other connections; a few objects if called by another thread than the loop's.
 */
public interface Connection extends Executor, AutoCloseable {
    /** {@return the server that it belongs to} */
    StreamServer server();

    /**
     * Sends bytes after all that was accepted before, by any thread or reply: all of them, or none. However many
     * there are, they are accepted while less than {@link StreamServerBuilder#maxPending} is pending, and less than its
     * share of {@link StreamServerBuilder#maxWaiting}. That is not only what the other side has not read: what a round
     * sends is offered to the socket when it ends. What is accepted by one call never mixes with that of another one.
     * It is lost if the connection ends before. If the virtual machine has no memory for it, this connection, and no
     * other, is reset, and the error handler told.
     *
     * @param bytes the remaining bytes are copied; the buffer stays as it is
     * @return whether they were accepted. If not, {@link ConnectionHandler#onWritable} will be called; or its output
     *     was {@linkplain #shutdownOutput shut down}, or it is not {@linkplain #isOpen open} any more: {@link #close}
     *     was called, say, or there was no memory
     */
    boolean send(ByteBuffer bytes);

    /**
     * Sends two buffers as one, say, the head of a message and its body.
     *
     * @param head the remaining bytes are copied; the buffer stays as it is
     * @param body the same, behind those
     * @return as {@link #send(ByteBuffer)}
     */
    boolean send(ByteBuffer head, ByteBuffer body);

    /**
     * {@return whether {@link #send} would accept something now} Other threads may send something before the caller
     * does. False is not told of by {@link ConnectionHandler#onWritable}: only a send that was refused is.
     */
    boolean isWritable();

    /**
     * {@return how many bytes were accepted, those of its handler's replies included} From the first call of {@link
     * Exchange#connection} on: of what was sent before, nothing is known.
     */
    long accepted();

    /**
     * {@return how many of them the system has not taken yet} With TLS as they are sent, so it is more than was
     * accepted.
     */
    long pending();

    /**
     * Stops calling the handler for data, and soon receiving: what comes is kept by the system, and the other side has
     * to wait. Called by the loop's thread it holds at once: what the handler leaves of its {@code data} comes again
     * after {@link #resume}. {@link ConnectionHandler#onEnd} waits for that, too, whenever the other side has ended.
     * What is paused is not idle, but has to take what it is sent in the time of {@link Phase#WRITING}, if one was set
     * for that phase.
     */
    void pause();

    /** Goes on with what {@link #pause} has stopped. */
    void resume();

    /**
     * Tells the other side, after what was accepted, that no more comes. Nothing is accepted from now on, but data is
     * still received. When the other side has ended too, the connection is closed.
     */
    void shutdownOutput();

    /**
     * Closes the connection after what was accepted has been sent, without waiting for that. Nothing is accepted from
     * now on.
     */
    @Override
    void close();

    /** Closes the connection at once, by a reset if bytes were pending. */
    void abort();

    /** {@return whether it has not ended, and was not told to} */
    boolean isOpen();

    /**
     * {@return the engine of TLS, for its session and application protocol; null without TLS} Its other methods are for
     * the connection alone. While a handshake's task runs, a call of the engine may have to wait for it.
     */
    SSLEngine sslEngine();

    /**
     * Has the loop run a task soon, on its thread, as it calls the handler: one at a time, so what they share needs no
     * lock. What it throws closes the connection, and goes to the server's error handler. It is not run if the
     * connection ends before. It must not block.
     */
    @Override
    void execute(Runnable task);

    /**
     * Does that later, not before the delay has passed: for what a protocol does in its own time, as to expire a
     * session, to say that one is still there, to wait no longer for the other side's end. Allocation: an object; a
     * loop has any number of them at the price of one.
     *
     * @param delay how long to wait, in steps of a millisecond; with zero or less it is run soon
     * @param task what to do then
     * @return cancels it; it is cancelled when the connection ends
     */
    Future<?> schedule(Duration delay, Runnable task);

    /**
     * Gives the connection a time-out of its own, at once or, if another thread than the loop's calls this, soon: see
     * {@link Exchange#setTimeout}.
     *
     * @param phase of what
     * @param time how long, a shorter one than 8 ms is taken for 8 ms; zero, or 292 years and more: for ever
     * @throws IllegalArgumentException if the time is negative
     */
    void setTimeout(Phase phase, Duration time);

    /** {@return the address of the other side; null if it has none, or if it was not known when the handle was made} */
    SocketAddress remoteAddress();

    /**
     * {@return the address of this side} It is asked of the system once; null if it has none, or is not connected yet.
     */
    SocketAddress localAddress();

    /**
     * Sets an option of the socket, as a SocketChannel does. For the loop's thread: in a call of the handler, or in a
     * task of {@link #execute}. Allocation: some objects, as the next two have.
     *
     * @param <T> the type of its value
     * @param name which, say, of {@link java.net.StandardSocketOptions}
     * @param value its value
     * @throws UnsupportedOperationException if there is no such option here
     * @throws IllegalArgumentException if it can't have this value
     * @throws IllegalStateException if another thread than the loop's calls this
     * @throws IOException if the connection has ended, or is not connected yet, or the system refuses it
     */
    <T> void setOption(SocketOption<T> name, T value) throws IOException;

    /**
     * {@return the value of an option of the socket; may be null} For the loop's thread, as {@link #setOption}, and
     * throws what that throws.
     *
     * @param <T> the type of its value
     * @param name which
     * @throws IOException if the connection has ended, or is not connected yet
     */
    <T> T getOption(SocketOption<T> name) throws IOException;

    /**
     * {@return the options that the socket has, those of a SocketChannel} For the loop's thread, as {@link #setOption}.
     *
     * @throws IOException if the connection has ended, or is not connected yet
     */
    Set<SocketOption<?>> supportedOptions() throws IOException;

    /** {@return what was attached; null at first} */
    Object attachment();

    /**
     * Attaches an object of the handler's own, a session, say. Who {@linkplain StreamServer#connect connects} from
     * another thread than a loop's may be too late with that for {@link ConnectionHandler#onOpen}, and gives the
     * handler of that connection a field instead.
     *
     * @param attachment the object; may be null
     * @return what was attached before
     */
    Object attach(Object attachment);
}
