// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import dev.pollux.internal.tls.BufferPool;
import java.nio.ByteBuffer;
import javax.net.ssl.SSLException;

/**
 * The way out of a held connection: it takes what is sent, and gives it in buffers that are to be ordered. {@link
 * PlainOutbound} passes bytes on as they are, {@link TlsOutbound} encrypts them. The methods with a body are what the
 * way in and the end of a connection ask of TLS.
 *
 * <p>Guarded by the connection, but for the last three methods. An SSLException says that nothing more can be sent.
 */
interface Outbound {
    /** Copies that many bytes of a buffer, from that index on. More may come that is sent together with them. */
    void append(ByteBuffer bytes, int from, int length, boolean isMoreToCome) throws SSLException;

    /** Takes a buffer of the connection's pool over, up to its position. */
    void append(ByteBuffer written, boolean isMoreToCome) throws SSLException;

    /** How many bytes were taken, and not given to be ordered. */
    long pending();

    /** Whether what is sent now may be ordered past this, without a copy here. */
    boolean mayBePassed();

    /** No more comes in this round that could be sent together with what was taken. */
    default void flush() throws SSLException {
    }

    /** The next bytes to be ordered: those before the buffer's position. Null if there are none. It is the caller's. */
    ByteBuffer next();

    /** How many orders may be on their way at once. What is taken meanwhile is joined. */
    int maxFlights();

    /** Whether all that was taken was given to be ordered. If it was dropped, a task of TLS is not waited for. */
    boolean isFlushed(boolean isDropped);

    /** Adds what tells the other side that no more comes. False: its socket's end does. */
    default boolean end() throws SSLException {
        return false;
    }

    /** Gives up what was taken, but for the alert by which TLS tells the other side why. */
    void drop();

    /** The connection has ended, and this was dropped. TLS goes on with this pool, if that is not null. */
    default void release(BufferPool slowPath) {
    }

    /** Why it is broken; null if it is not. */
    default SSLException failure() {
        return null;
    }

    default boolean isEstablished() {
        return true;
    }

    /** Whether something was accepted that can be sent only when a handshake has gone on. */
    default boolean awaitsHandshake() {
        return false;
    }

    /** Whether the other side is not to send more before a task of the handshake has ended. */
    default boolean isFull() {
        return false;
    }

    /** Whether something was decrypted that the handler has not consumed. */
    default boolean hasUnread() {
        return false;
    }
}
