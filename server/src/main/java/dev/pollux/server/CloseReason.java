// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import dev.pollux.internal.count.Counter;

/** Why a connection of a {@link StreamServer} has ended. */
public enum CloseReason {
    /** The other side has ended the stream, and the handler closed the connection for that, or has ended it too. */
    PEER(Counter.CLOSED_BY_PEER),
    /** The handler, or the holder of the {@link Connection}, has closed or aborted it. */
    CLOSED(Counter.CLOSED_BY_HANDLER),
    /** The other side has begun no request in the time of {@link Phase#FIRST_BYTE} or {@link Phase#IDLE}. */
    IDLE(Counter.CLOSED_IDLE),
    /** A request was longer than {@link StreamServerBuilder#maxRequest}. */
    TOO_LONG(Counter.CLOSED_TOO_LONG),
    /** A request was not complete in the time of {@link Phase#REQUEST}. */
    TOO_SLOW(Counter.CLOSED_TOO_SLOW),
    /** The other side has not taken what it was sent in the time of {@link Phase#WRITING}. */
    UNREAD(Counter.CLOSED_UNREAD),
    /**
     * It has failed: was reset by the other side, say, or could not connect, or memory or its engine of TLS has failed
     * the server. The error handler was told of it.
     */
    FAILED(Counter.CLOSED_FAILED),
    /** The handler has thrown. */
    THROWN(Counter.CLOSED_THROWN),
    /** The slow path has it. */
    HANDED_OVER(Counter.SLOW_PATH),
    /** The server was closed, gracefully or at once, or its loop has failed. */
    SERVER(Counter.CLOSED_BY_HANDLER);

    private static final CloseReason[] ALL = values();

    /** What counts it. */
    final Counter counter;

    CloseReason(Counter counter) {
        this.counter = counter;
    }

    static CloseReason of(int ordinal) {
        return ALL[ordinal];
    }
}
