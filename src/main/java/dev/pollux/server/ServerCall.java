// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import dev.pollux.internal.server.DeferredReply;
import dev.pollux.internal.server.Ending;
import dev.pollux.internal.server.HandlerCall;
import dev.pollux.internal.server.HeldConnection;
import dev.pollux.internal.server.TimedPhase;
import java.nio.ByteBuffer;
import java.time.Duration;
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

    /** The other methods of {@link Connection} are those of its superclass. */
    private static final class ServerConnection extends HeldConnection implements Connection {
        private final StreamServer server;

        ServerConnection(StreamServer server, HandlerCall call) {
            super(call);
            this.server = server;
        }

        @Override
        public StreamServer server() {
            return server;
        }

        @Override
        public boolean isWritable() {
            return wouldAccept();
        }

        @Override
        public void setTimeout(Phase phase, Duration time) {
            setTimeout(TimedPhase.valueOf(phase.name()), TimedPhase.limit(time));
        }
    }

    @Override
    protected void onData(ByteBuffer data) throws Exception {
        handler.onData(data, this);
    }

    @Override
    protected void onOpen() throws Exception {
        handler.onOpen(this);
    }

    @Override
    protected void onEnd() throws Exception {
        handler.onEnd(this);
    }

    @Override
    protected void onWritable() throws Exception {
        handler.onWritable(connection());
    }

    @Override
    protected void onShutdown() throws Exception {
        handler.onShutdown(this);
    }

    @Override
    protected void onRefused(Ending reason) throws Exception {
        handler.onRefused(this, CloseReason.valueOf(reason.name()));
    }

    @Override
    protected void onClose(Ending reason) throws Exception {
        handler.onClose(this, CloseReason.valueOf(reason.name()));
    }

    @Override
    protected HeldConnection hold() {
        return new ServerConnection(server, this);
    }

    @Override
    public StreamServer server() {
        return server;
    }

    @Override
    public void setTimeout(Phase phase, Duration time) {
        setTimeout(TimedPhase.valueOf(phase.name()), TimedPhase.limit(time));
    }

    @Override
    public Connection connection() {
        return (ServerConnection) held();
    }

    @Override
    public Reply defer() {
        LaterReply before = (LaterReply) deferred();
        return before != null ? before : defer(new LaterReply(this));
    }

    /** For messages about it. */
    @Override
    public String toString() {
        return handler.toString();
    }
}
