// SPDX-License-Identifier: Apache-2.0
package dev.pollux;

import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A reply that is given later ({@link Isocket#defer}), once, by any thread. If the connection has gone meanwhile, it is
 * dropped.
 */
public final class Reply {
    private final InterruptLoop loop;
    private final long connection;
    private final AtomicBoolean isGiven = new AtomicBoolean();

    Reply(InterruptLoop loop, long connection) {
        this.loop = loop;
        this.connection = connection;
    }

    /**
     * Sends the reply, and the connection's next request is handled.
     *
     * @param bytes its remaining bytes; the buffer must stay as it is
     * @throws IllegalStateException if the reply was given before
     */
    public void send(ByteBuffer bytes) {
        take();
        loop.replyLater(connection, bytes, false);
    }

    /**
     * Sends the reply, and closes the connection.
     *
     * @param bytes its remaining bytes; the buffer must stay as it is
     * @throws IllegalStateException if the reply was given before
     */
    public void sendAndClose(ByteBuffer bytes) {
        take();
        loop.replyLater(connection, bytes, true);
    }

    private void take() {
        if (!isGiven.compareAndSet(false, true)) {
            throw new IllegalStateException("this reply was given before");
        }
    }
}
