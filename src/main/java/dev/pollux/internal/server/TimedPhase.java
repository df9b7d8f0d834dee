// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.server;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** What a connection waits for. The public enum of builders has the same names, and explains them. */
public enum TimedPhase {
    HANDSHAKE, FIRST_BYTE, REQUEST, IDLE, WRITING;

    /** How many there are. */
    static final int ALL = values().length;

    private static final long SHORTEST = TimeUnit.MILLISECONDS.toNanos(8);

    /** What is longer comes to no number of nanoseconds. */
    private static final Duration LONGEST = Duration.ofNanos(Long.MAX_VALUE);

    /** A time-out as it is kept, in nanoseconds: zero for none, else not too short to be looked for. */
    public static long limit(Duration time) {
        if (time.isNegative()) {
            throw new IllegalArgumentException("a time-out is negative: " + time);
        }
        boolean isNone = time.isZero() || time.compareTo(LONGEST) >= 0;
        return isNone ? 0 : Math.max(time.toNanos(), SHORTEST);
    }
}
