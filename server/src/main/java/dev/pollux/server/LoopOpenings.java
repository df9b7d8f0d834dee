// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import dev.pollux.internal.arena.Arena;
import dev.pollux.internal.arena.Orders;
import dev.pollux.internal.tls.BufferPool;
import dev.pollux.internal.tls.TlsStream;

/**
 * Begins connections of a loop: the handler hears of them at once, with TLS when the handshake is finished.
 *
 * <p>For the loop's thread. Allocation: with TLS alone.
 */
final class LoopOpenings {
    private final ServerSettings settings;
    private final BufferPool buffers;
    private final SocketChannels channels;
    private final Arena arena;
    private final LoopConnections connections;
    private final LoopEvents events;
    private final SecureRequests secureRequests;

    LoopOpenings(ServerSettings settings, BufferPool buffers, SocketChannels channels, Arena arena,
            LoopConnections connections, LoopEvents events, SecureRequests secureRequests) {
        this.settings = settings;
        this.buffers = buffers;
        this.channels = channels;
        this.arena = arena;
        this.connections = connections;
        this.events = events;
        this.secureRequests = secureRequests;
    }

    /** One that was accepted. */
    void openNew(long connection) {
        try {
            channels.setOptions(arena, connection);
            open(connection, settings.newTls(buffers));
        } catch (Throwable e) { // the application makes the engine, and the other side may have reset it
            events.fail(connection, e);
        }
    }

    /** One that has begun, with TLS or without (null). */
    void open(long connection, TlsStream tls) {
        if (connections.isClosing()) {
            events.leave(connection, Orders.CLOSE, CloseReason.SERVER);
        } else if (tls == null) {
            events.open(connection);
        } else {
            HeldConnection held = connections.newHeld();
            held.secure(tls);
            connections.hold(connection, held);
            beginTls(connection, held);
        }
    }

    /** One that this loop has asked for. */
    void onConnected(long connection) {
        HeldConnection held = connections.held(connection);
        held.setAddresses(held.remoteAddress(), arena.local(connection));
        if (held.tls() == null) {
            events.open(connection);
        } else {
            beginTls(connection, held);
        }
    }

    /** The handler hears of a secure connection when it is established: one that comes from a slow path may be. */
    private void beginTls(long connection, HeldConnection held) {
        if (held.tls().stream.isEstablished()) {
            events.open(connection);
        }
        secureRequests.serveAgain(held);
    }
}
