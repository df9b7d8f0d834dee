// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.server;

import java.io.IOException;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import javax.net.ssl.SSLEngine;

/** The settings of a server. {@code StreamServerBuilder} says what each of it means. For one thread. */
public final class ServerSettings {
    public SocketAddress address;
    public int loops = 1;
    public boolean isPinned;
    public int maxConnections = 1024;
    public int maxRequest = 1 << 16;
    public int maxPending = 1 << 20;

    /** Zero: half of the direct memory that the virtual machine may have. */
    public long maxWaiting;
    public int backlog = 1024;

    /** By the ordinal of each {@link TimedPhase}, as {@link TimedPhase#limit} has made it. */
    public final long[] timeouts = new long[TimedPhase.ALL];

    /** Of the sockets of connections that are accepted, with their values. */
    public final Map<SocketOption<?>, Object> options = new LinkedHashMap<>();

    /** Null: the best. */
    public String mechanism;
    public Executor executor = Runnable::run;

    public SlowPath slowPath;

    /** Makes the engine of each connection that is accepted; null: no TLS. */
    public Supplier<SSLEngine> engines;
    public Executor tlsExecutor = Runnable::run;
    public Trouble.Listener onTrouble;

    /** Makes the handler of a loop. */
    public Supplier<? extends HandlerCall> handlers;

    /** Handles a connection that the handler declines. */
    @FunctionalInterface
    public interface SlowPath {
        void handle(SocketChannel channel, ByteBuffer unread) throws IOException;
    }
}
