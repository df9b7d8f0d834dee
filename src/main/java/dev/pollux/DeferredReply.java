// SPDX-License-Identifier: Apache-2.0
package dev.pollux;

import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;

/** A reply of one connection of a loop. For any thread, but for what it tells the loop. */
final class DeferredReply implements Reply {
    private final InterruptLoop loop;
    private final long connection;
    private final AtomicBoolean isGiven = new AtomicBoolean();

    /** Set by the loop's thread, or by who gives the reply; read by the loop's thread when it was given. */
    private boolean isLast;

    DeferredReply(InterruptLoop loop, long connection) {
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

    @Override
    public void send(ByteBuffer bytes) {
        take(bytes);
        loop.replyLater(this, bytes);
    }

    @Override
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
