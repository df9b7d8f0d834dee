// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.server;

/** Why a connection has ended. The public enum of handlers has the same names, and explains them. */
public enum Ending {
    PEER(LoopCounters.CLOSED_BY_PEER), CLOSED(LoopCounters.CLOSED_BY_HANDLER), IDLE(LoopCounters.CLOSED_IDLE),
    TOO_LONG(LoopCounters.CLOSED_TOO_LONG), UNREAD(LoopCounters.CLOSED_UNREAD), FAILED(LoopCounters.CLOSED_FAILED),
    THROWN(LoopCounters.CLOSED_THROWN), HANDED_OVER(LoopCounters.SLOW_PATH), SERVER(LoopCounters.CLOSED_BY_HANDLER);

    private static final Ending[] ALL = values();

    /** What counts it. */
    final int counter;

    Ending(int counter) {
        this.counter = counter;
    }

    static Ending of(int ordinal) {
        return ALL[ordinal];
    }
}
