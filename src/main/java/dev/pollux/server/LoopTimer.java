// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import java.util.concurrent.TimeUnit;

/**
 * When a loop has to do something though nothing arrives: look for idle connections, accept again
 * after a failure, end.
 *
 * <p>For the loop's thread. No allocation. The clock is read only if there is something to wait for.
 */
final class LoopTimer {
    /** The idle timeout in ticks: connections are looked at once in each tick. */
    static final int TICKS = 8;

    private static final long SHORTEST_TICK = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long ACCEPT_PAUSE = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long TELL_PAUSE = TimeUnit.SECONDS.toNanos(1);

    private final long start = System.nanoTime();

    /** Nanoseconds of a tick; 0 if there is no idle timeout. */
    private final long tick;

    private int now;
    private int swept;
    private boolean acceptIsPaused;
    private long acceptAt;
    private long tellAt = start;
    private boolean hasDeadline;
    private long deadline;

    LoopTimer(long idleNanos) {
        tick = idleNanos == 0 ? 0 : Math.max(idleNanos / TICKS, SHORTEST_TICK);
    }

    /** Reads the clock: which tick this is. */
    int now() {
        if (tick != 0) {
            now = (int) ((System.nanoTime() - start) / tick);
        }
        return now;
    }

    /** Whether a tick has begun since this was true last. */
    boolean isSweepDue() {
        boolean due = now != swept;
        swept = now;
        return due;
    }

    /** How long there is nothing to do, with this number of connections; negative: for ever. */
    long nanosToWait(int connections) {
        boolean ticks = tick != 0 && connections != 0;
        if (!ticks && !acceptIsPaused && !hasDeadline) {
            return -1;
        }
        long time = System.nanoTime();
        long wait = Long.MAX_VALUE;
        if (ticks) {
            wait = tick - (time - start) % tick;
        }
        if (acceptIsPaused) {
            wait = Math.min(wait, acceptAt - time);
        }
        if (hasDeadline) {
            wait = Math.min(wait, deadline - time);
        }
        return Math.max(wait, 0);
    }

    /** Accepting has failed, and is tried again in a while. Whether to call the handler: at most once in a second. */
    boolean pauseAccept() {
        long time = System.nanoTime();
        acceptIsPaused = true;
        acceptAt = time + ACCEPT_PAUSE;
        boolean tells = time - tellAt >= 0;
        if (tells) {
            tellAt = time + TELL_PAUSE;
        }
        return tells;
    }

    /** If accepting is paused it may work again now. */
    void acceptSoon() {
        if (acceptIsPaused) {
            acceptAt = System.nanoTime();
        }
    }

    /** Whether to accept again; true once. */
    boolean isAcceptDue() {
        boolean due = acceptIsPaused && System.nanoTime() - acceptAt >= 0;
        acceptIsPaused &= !due;
        return due;
    }

    /** All is to end by then, or sooner if that was said before. */
    void setDeadline(long nanoTime) {
        deadline = hasDeadline && deadline - nanoTime < 0 ? deadline : nanoTime;
        hasDeadline = true;
    }

    boolean isOver() {
        return hasDeadline && System.nanoTime() - deadline >= 0;
    }
}
