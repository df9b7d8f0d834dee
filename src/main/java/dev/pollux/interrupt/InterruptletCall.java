// SPDX-License-Identifier: Apache-2.0
package dev.pollux.interrupt;

import dev.pollux.internal.interrupt.DeferredReply;
import dev.pollux.internal.interrupt.HandlerCall;
import java.nio.ByteBuffer;
import java.util.Objects;

/** The call that a loop makes of its {@link Interruptlet} now: what the interfaces of this package show of it. */
final class InterruptletCall extends HandlerCall implements Isocket {
    private final InterruptServer server;
    private final Interruptlet handler;

    InterruptletCall(InterruptServer server, Interruptlet handler) {
        this.server = server;
        this.handler = Objects.requireNonNull(handler, "handler");
    }

    /** The methods of {@link Reply} are those of its superclass. */
    private static final class LaterReply extends DeferredReply implements Reply {
        LaterReply(HandlerCall call) {
            super(call);
        }
    }

    @Override
    protected ByteBuffer handle(ByteBuffer data) throws Exception {
        return handler.handleInterrupt(data, this);
    }

    @Override
    public InterruptServer server() {
        return server;
    }

    @Override
    public Reply defer() {
        return defer(new LaterReply(this));
    }

    /** For messages about what it returned. */
    @Override
    public String toString() {
        return handler.toString();
    }
}
