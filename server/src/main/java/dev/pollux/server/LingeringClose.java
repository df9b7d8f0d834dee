// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Connections of a loop whose output was shut down behind the reply to a refused request. What they still send is
 * discarded until the other side ends, too, but not for long. A socket that is closed with unread bytes is reset by the
 * system, and the other side may lose the reply by that.
 *
 * <p>For the loop's thread. Allocation: for such connections alone.
 */
final class LingeringClose {
    private static final long TIME = TimeUnit.SECONDS.toNanos(5);

    /** When each is closed at the latest, the next one first. */
    private final Map<Long, Long> deadlines = new LinkedHashMap<>();

    void begin(long connection) {
        deadlines.put(connection, System.nanoTime() + TIME);
    }

    /** It has ended, or its other side has: whether it was here. */
    boolean end(long connection) {
        return !deadlines.isEmpty() && deadlines.remove(connection) != null;
    }

    /** As {@link LoopTimer#nanosToWait}. */
    long nanosToWait() {
        return deadlines.isEmpty() ? Long.MAX_VALUE : deadlines.values().iterator().next() - System.nanoTime();
    }

    /** Takes one whose time is over; 0 if there is none. */
    long takeDue() {
        if (nanosToWait() > 0) {
            return 0;
        }
        long first = deadlines.keySet().iterator().next();
        deadlines.remove(first);
        return first;
    }
}
