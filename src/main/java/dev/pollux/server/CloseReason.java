// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

/** Why a connection of a {@link StreamServer} has ended. */
public enum CloseReason {
    /** The other side has ended the stream, and the handler closed the connection for that, or has ended it too. */
    PEER,
    /** The handler, or the holder of the {@link Connection}, has closed it. */
    CLOSED,
    /** The other side has begun no request in the time of {@link Phase#FIRST_BYTE} or {@link Phase#IDLE}. */
    IDLE,
    /** A request was longer than {@link StreamServerBuilder#maxRequest}. */
    TOO_LONG,
    /** A request was not complete in the time of {@link Phase#REQUEST}. */
    TOO_SLOW,
    /** The other side has not taken what it was sent in the time of {@link Phase#WRITING}. */
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
