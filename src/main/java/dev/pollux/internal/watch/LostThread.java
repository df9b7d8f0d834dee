// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.watch;

import dev.pollux.internal.insight.Counter;
import dev.pollux.internal.insight.LoopStatistics;

/**
 * Finds out that the thread which selected has ended, perhaps by an exception, and no other has taken its place. No
 * thread is left to notice but those that register channels or wake the selector. They look twice, and some seconds
 * must lie between, because the next thread may be on its way. If threads take turns in selecting, as those of a pool
 * do, the end of one means nothing.
 *
 * <p>Safe for use by many threads. Allocates only to report, once.
 */
final class LostThread {
    /** Minimum time without a selection before the thread counts as lost. */
    static final long PATIENCE_NANOS = 10_000_000_000L;

    /** One thread may prepare a selector, and another one serve it. More are a pool's. */
    private static final int MAX_THREADS = 2;

    /** Number of wakeups between two looks, a power of two. */
    private static final int MANY = 64;

    private final LoopStatistics statistics;
    private final SelectorLog log;
    private final long patience;

    private boolean isReported;

    /** How many selections there had been when a dead thread was seen first, and when that was. */
    private long selections = -1;
    private long seen;

    /** Racy: some may be missed. */
    private int wakeups;

    LostThread(LoopStatistics statistics, SelectorLog log, long patienceNanos) {
        this.statistics = statistics;
        this.log = log;
        this.patience = patienceNanos;
    }

    /** The selector was woken while no thread was blocked in it. */
    void onWakeup() {
        if ((++wakeups & MANY - 1) == 0) {
            look();
        }
    }

    void look() {
        Thread thread = statistics.thread();
        if (thread != null && !thread.isAlive() && statistics.threads() <= MAX_THREADS && isLostForLong()) {
            log.onLostThread(thread);
        }
    }

    /** Whether no thread has selected for long. True only once. */
    private synchronized boolean isLostForLong() {
        long now = System.nanoTime();
        long current = statistics.count(Counter.SELECTIONS);
        if (current != selections) {
            selections = current;
            seen = now;
        }
        if (isReported || now - seen < patience) {
            return false;
        }
        isReported = true;
        return true;
    }
}
