// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import java.util.concurrent.TimeUnit;

/**
 * When a loop has to do something though nothing arrives: accept again after a failure, end.
 *
 * <p>For the loop's thread. No allocation. The clock is read only if there is something to wait for.
 */
final class LoopTimer {
    private static final long ACCEPT_PAUSE = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long TELL_PAUSE = TimeUnit.SECONDS.toNanos(1);

    private boolean acceptIsPaused;
    private long acceptAt;
    private long tellAt = System.nanoTime();
    private boolean hasDeadline;
    private long deadline;

    /** How long there is nothing to do, the largest number: for ever; negative: something is overdue. */
    long nanosToWait() {
        long wait = acceptIsPaused ? acceptAt - System.nanoTime() : Long.MAX_VALUE;
        return hasDeadline ? Math.min(wait, deadline - System.nanoTime()) : wait;
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
