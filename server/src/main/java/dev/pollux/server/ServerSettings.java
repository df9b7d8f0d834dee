// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import dev.pollux.internal.tls.BufferPool;
import dev.pollux.internal.tls.TlsStream;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;

/**
 * The settings of a server. {@link StreamServerBuilder} says what each of it means. A server has a copy of its own,
 * which does not change.
 */
final class ServerSettings implements Cloneable {
    SocketAddress address;
    int loops = 1;
    boolean isPinned;
    int maxConnections = 1024;
    int maxRequest = 1 << 16;
    int maxPending = 1 << 20;

    /** Zero: half of the direct memory that the virtual machine may have. */
    long maxWaiting;
    int backlog = 1024;

    /** By the ordinal of each {@link Phase}, as {@link LoopTimeouts#limit} has made it. */
    long[] timeouts = new long[Phase.values().length];

    /** Of the sockets of connections that are accepted, with their values. */
    Map<SocketOption<?>, Object> options = new LinkedHashMap<>();

    /** Null: the best. */
    String mechanism;
    Executor executor = Runnable::run;

    SlowPath slowPath;

    /** Makes the engine of each connection that is accepted; null: no TLS. */
    Supplier<SSLEngine> engines;
    Executor tlsExecutor = Runnable::run;

    /** Never throws. */
    ServerErrorHandler errors;

    /** Makes the handler of a loop. */
    Supplier<? extends ConnectionHandler> handlers;

    /** The server that handlers see. */
    StreamServer server;

    /** What makes a new connection that was accepted secure, with memory of this pool; null without TLS. */
    TlsStream newTls(BufferPool buffers) throws SSLException {
        return engines == null ? null : new TlsStream(engines.get(), buffers);
    }

    @Override
    public ServerSettings clone() {
        try {
            ServerSettings copy = (ServerSettings) super.clone();
            copy.timeouts = timeouts.clone();
            copy.options = new LinkedHashMap<>(options);
            return copy;
        } catch (CloneNotSupportedException e) {
            throw new AssertionError(e);
        }
    }
}
