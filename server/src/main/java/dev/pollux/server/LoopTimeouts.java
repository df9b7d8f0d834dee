// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/**
 * How long each connection of a loop has been in its {@link Phase}, and how long it may be. All are looked at
 * several times in the shortest time-out, rather than each at its own time: what a request costs is to note a number.
 *
 * <p>For the loop's thread. The clock is read, and memory taken, only if there is a time-out: 24 bytes for each
 * connection that may be, and an array for one that has its own. No other allocation.
 */
final class LoopTimeouts {
    /** The other side has to take as many bytes to begin {@link Phase#WRITING} again, or all. */
    static final long PROGRESS = 4096;

    /** How often all are looked at in the shortest time-out. */
    private static final int LOOKS = 8;

    private static final long NOT_WRITING = Long.MIN_VALUE;

    private static final long SHORTEST = TimeUnit.MILLISECONDS.toNanos(8);

    /** What is longer comes to no number of nanoseconds. */
    private static final Duration LONGEST = Duration.ofNanos(Long.MAX_VALUE);

    private final int max;

    /** Of connections that have none of their own. Negative: time stands still while the connection is paused. */
    private final long[] limits;

    /** By index, as far as a connection has its own: all of them. */
    private long[][] own = {};

    /** By index, when the phase of the input began; null: there is no time-out. */
    private long[] since;

    /** When the other side had taken enough last, and how much it had taken, by what it was ordered to be sent. */
    private long[] readAt;
    private long[] read;

    /** Nanoseconds from one look to the next. */
    private long period = Long.MAX_VALUE;

    private long now;
    private long nextLook;

    /** For that number of connections at most, with these time-outs. */
    LoopTimeouts(int max, long[] limits) {
        this.max = max;
        this.limits = limits;
        long shortest = Arrays.stream(limits).map(Math::abs).filter(nanos -> nanos > 0).min().orElse(0);
        if (shortest > 0) {
            lookWithin(shortest);
        }
    }

    /** A time-out as it is kept, in nanoseconds: zero for none, else not too short to be looked for. */
    static long limit(Duration time) {
        if (time.isNegative()) {
            throw new IllegalArgumentException("a time-out is negative: " + time);
        }
        boolean isNone = time.isZero() || time.compareTo(LONGEST) >= 0;
        return isNone ? 0 : Math.max(time.toNanos(), SHORTEST);
    }

    private void lookWithin(long limit) {
        if (since == null) {
            readAt = new long[max];
            read = new long[max];
            long[] all = new long[max];
            now = System.nanoTime();
            nextLook = now;
            Arrays.fill(all, now);
            Arrays.fill(read, NOT_WRITING);
            since = all; // last: if there is no memory, there is no time-out
        }
        period = Math.min(period, limit / LOOKS);
        nextLook = Math.min(nextLook - now, period) + now;
    }

    /** A round begins: the time of all that it brings. */
    void beginRound() {
        if (since != null) {
            now = System.nanoTime();
        }
    }

    /** Whether to look at all of them now. */
    boolean isLookDue() {
        boolean isDue = since != null && now - nextLook >= 0;
        if (isDue) {
            nextLook = now + period;
        }
        return isDue;
    }

    /** As {@link LoopTimer#nanosToWait}, with that number of connections. */
    long nanosToWait(int connections) {
        return since == null || connections == 0 ? Long.MAX_VALUE : nextLook - System.nanoTime();
    }

    void begin(int index) {
        enter(index);
        if (since != null) {
            read[index] = NOT_WRITING;
        }
        end(index);
    }

    void end(int index) {
        if (index < own.length) {
            own[index] = null;
        }
    }

    /** A phase of its input begins, or begins again. */
    void enter(int index) {
        if (since != null) {
            since[index] = now;
        }
    }

    /** Has a phase of a connection end after these nanoseconds; 0: never. */
    void set(int index, Phase phase, long limit) {
        if (limit > 0) {
            lookWithin(limit);
        }
        if (index >= own.length) {
            own = Arrays.copyOf(own, Math.min(max, 2 * index + 16));
        }
        if (own[index] == null) {
            own[index] = limits.clone();
        }
        own[index][phase.ordinal()] = limit;
    }

    /** It has the time of all phases again. */
    void suspend(int index) {
        since[index] = now;
        readAt[index] = now;
    }

    /** Whether what a connection has to take in {@link Phase#WRITING} may wait while it is paused. */
    boolean mayWaitWhilePaused(int index) {
        return limit(index, Phase.WRITING) < 0;
    }

    private long limit(int index, Phase phase) {
        return (index < own.length && own[index] != null ? own[index] : limits)[phase.ordinal()];
    }

    /** Whether its input has been in this phase for too long. */
    boolean isOver(int index, Phase phase) {
        return isOver(index, phase, since[index]);
    }

    private boolean isOver(int index, Phase phase, long from) {
        long limit = Math.abs(limit(index, phase));
        return limit > 0 && now - from > limit;
    }

    /**
     * Whether the other side has not taken enough for too long.
     *
     * @param taken how much it has, of all that it was sent: a number that only grows, from an unknown beginning
     */
    boolean isUnread(int index, long taken) {
        if (read[index] == NOT_WRITING || taken - read[index] >= PROGRESS) {
            read[index] = taken;
            readAt[index] = now;
        } else {
            read[index] = Math.min(read[index], taken); // more was sent, and it is not known how much
        }
        return isOver(index, Phase.WRITING, readAt[index]);
    }

    /** It has taken all. */
    void onAllRead(int index) {
        read[index] = NOT_WRITING;
    }
}
