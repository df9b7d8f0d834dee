// SPDX-License-Identifier: Apache-2.0
package dev.pollux;

import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A reply that is given later ({@link Isocket#defer}), once, by any thread. If the connection has gone meanwhile, it is
 * dropped.
 */
public final class Reply {
    private final InterruptLoop loop;
    private final long connection;
    private final AtomicBoolean isGiven = new AtomicBoolean();

    /** Set by the loop's thread, or by who gives the reply; read by the loop's thread when it was given. */
    private boolean isLast;

    Reply(InterruptLoop loop, long connection) {
        this.loop = loop;
        this.connection = connection;
    }

    long connection() {
        return connection;
    }

    /** The connection is closed behind it. */
    void setLast() {
        isLast = true;
    }

    boolean isLast() {
        return isLast;
    }

    /**
     * Sends the reply, and the connection's next request is handled.
     *
     * @param bytes its remaining bytes; the buffer must stay as it is from now on: the loop's thread reads it later
     * @throws IllegalStateException if the reply was given before
     */
    public void send(ByteBuffer bytes) {
        take(bytes);
        loop.replyLater(this, bytes);
    }

    /**
     * Sends the reply, and closes the connection.
     *
     * @param bytes its remaining bytes; the buffer must stay as it is from now on: the loop's thread reads it later
     * @throws IllegalStateException if the reply was given before
     */
    public void sendAndClose(ByteBuffer bytes) {
        take(bytes);
        setLast();
        loop.replyLater(this, bytes);
    }

    private void take(ByteBuffer bytes) {
        Objects.requireNonNull(bytes);
        if (!isGiven.compareAndSet(false, true)) {
            throw new IllegalStateException("this reply was given before");
        }
    }
}
