// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;

/** A reply of one connection of a loop. For any thread, but for what it tells the loop. */
final class DeferredReply implements Reply {
    @FunctionalInterface
    interface Loop {
        /** The reply was given: these buffers. Any thread. */
        void replyLater(DeferredReply reply, ByteBuffer... parts);
    }

    private final Loop loop;
    final long connection;
    private final AtomicBoolean isGiven = new AtomicBoolean();

    /** Set by the loop's thread, or by who gives the reply; read by the loop's thread when it was given. */
    boolean isLast;

    DeferredReply(Loop loop, long connection) {
        this.loop = loop;
        this.connection = connection;
    }

    @Override
    public void send(ByteBuffer bytes) {
        give(false, bytes);
    }

    @Override
    public void send(ByteBuffer head, ByteBuffer body) {
        give(false, head, body);
    }

    @Override
    public void sendAndClose(ByteBuffer bytes) {
        give(true, bytes);
    }

    private void give(boolean closes, ByteBuffer... parts) {
        for (ByteBuffer each : parts) {
            Objects.requireNonNull(each);
        }
        if (!isGiven.compareAndSet(false, true)) {
            throw new IllegalStateException("this reply was given before");
        }
        isLast |= closes;
        loop.replyLater(this, parts);
    }
}
