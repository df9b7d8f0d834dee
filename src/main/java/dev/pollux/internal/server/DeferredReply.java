// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.server;

import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;

/** A reply of one connection of a loop. For any thread, but for what it tells the loop. */
public class DeferredReply {
    private final ServerLoop loop;
    final long connection;
    private final AtomicBoolean isGiven = new AtomicBoolean();

    /** Set by the loop's thread, or by who gives the reply; read by the loop's thread when it was given. */
    boolean isLast;

    /** The reply of a call, which is given later. */
    protected DeferredReply(HandlerCall call) {
        loop = call.loop;
        connection = call.id();
    }

    public final void send(ByteBuffer bytes) {
        Objects.requireNonNull(bytes);
        take();
        loop.replyLater(this, bytes);
    }

    public final void send(ByteBuffer head, ByteBuffer body) {
        Objects.requireNonNull(head);
        Objects.requireNonNull(body);
        take();
        loop.replyLater(this, head, body);
    }

    public final void sendAndClose(ByteBuffer bytes) {
        Objects.requireNonNull(bytes);
        take();
        isLast = true;
        loop.replyLater(this, bytes);
    }

    private void take() {
        if (!isGiven.compareAndSet(false, true)) {
            throw new IllegalStateException("this reply was given before");
        }
    }
}
