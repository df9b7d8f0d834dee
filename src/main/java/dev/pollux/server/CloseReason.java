// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import dev.pollux.internal.count.Counter;

/** Why a connection of a {@link StreamServer} has ended. */
public enum CloseReason {
    /** The other side has ended the stream, and the handler closed the connection for that, or has ended it too. */
    PEER(Counter.CLOSED_BY_PEER),
    /** The handler, or the holder of the {@link Connection}, has closed it. */
    CLOSED(Counter.CLOSED_BY_HANDLER),
    /** It was idle for the {@link StreamServerBuilder#idleTimeout}. */
    IDLE(Counter.CLOSED_IDLE),
    /** A request was longer than {@link StreamServerBuilder#maxRequest}. */
    TOO_LONG(Counter.CLOSED_TOO_LONG),
    /** The other side took nothing of what it was sent for the idle timeout. */
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
    /** The server was closed, or its loop has failed. */
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
