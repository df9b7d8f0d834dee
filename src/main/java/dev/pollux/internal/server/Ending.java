// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.server;

import dev.pollux.internal.count.Counter;

/** Why a connection has ended. The public enum of handlers has the same names, and explains them. */
public enum Ending {
    PEER(Counter.CLOSED_BY_PEER), CLOSED(Counter.CLOSED_BY_HANDLER), IDLE(Counter.CLOSED_IDLE),
    TOO_LONG(Counter.CLOSED_TOO_LONG), TOO_SLOW(Counter.CLOSED_TOO_SLOW), UNREAD(Counter.CLOSED_UNREAD),
    FAILED(Counter.CLOSED_FAILED), THROWN(Counter.CLOSED_THROWN), HANDED_OVER(Counter.SLOW_PATH),
    SERVER(Counter.CLOSED_BY_HANDLER);

    private static final Ending[] ALL = values();

    /** What counts it. */
    final Counter counter;

    Ending(Counter counter) {
        this.counter = counter;
    }

    static Ending of(int ordinal) {
        return ALL[ordinal];
    }
}
