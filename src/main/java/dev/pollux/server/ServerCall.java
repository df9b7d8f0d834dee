// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import dev.pollux.internal.server.DeferredReply;
import dev.pollux.internal.server.HandlerCall;
import java.nio.ByteBuffer;
import java.util.Objects;

/** The call that a loop makes of its {@link ConnectionHandler} now: what the interfaces of this package show of it. */
final class ServerCall extends HandlerCall implements Exchange {
    private final StreamServer server;
    private final ConnectionHandler handler;

    ServerCall(StreamServer server, ConnectionHandler handler) {
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
    public StreamServer server() {
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
