// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

/** Why a connection of a {@link StreamServer} has ended. */
public enum CloseReason {
    /** The other side has ended the stream, and the handler closed the connection for that, or has ended it too. */
    PEER,
    /** The handler, or the holder of the {@link Connection}, has closed it. */
    CLOSED,
    /** It was idle for the {@link StreamServerBuilder#idleTimeout}. */
    IDLE,
    /** A request was longer than {@link StreamServerBuilder#maxRequest}. */
    TOO_LONG,
    /** The other side took nothing of what it was sent for the idle timeout. */
    UNREAD,
    /**
     * It has failed: was reset by the other side, say, or could not connect, or memory or its engine of TLS has failed
     * the server. The error handler was told of it.
     */
    FAILED,
    /** The handler has thrown. */
    THROWN,
    /** The slow path has it. */
    HANDED_OVER,
    /** The server was closed, or its loop has failed. */
    SERVER
}
