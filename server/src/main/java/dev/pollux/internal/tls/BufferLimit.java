// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.tls;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * How much memory the buffers of several pools may take together. The pools only count: who wants to wait for memory
 * asks before.
 *
 * <p>For any thread. Pools count in steps, so that their threads seldom meet here. Allocation: none.
 */
public final class BufferLimit {
    /** Of the limit, how much must be free before those hear of it who found nothing left. */
    private static final int RELIEF = 8;

    /** What part of the limit one connection may have while nothing is taken. */
    private static final int SHARE = 16;

    private static final long MAX_STEP = 1 << 16;

    private final long max;
    private final long step;
    private final Runnable onRelief;
    private final AtomicLong taken = new AtomicLong();
    private final AtomicBoolean isAwaited = new AtomicBoolean();

    /** Of bytes for a number of pools; runs something, on any thread, when those who wait may go on. */
    public BufferLimit(long max, int pools, Runnable onRelief) {
        this.max = max;
        this.onRelief = onRelief;
        step = Math.min(MAX_STEP, max / (2L * RELIEF * pools)); // else relief might come never
    }

    /** {@return bytes that may still be taken; negative if more were taken than may be} */
    public long left() {
        return max - taken.get();
    }

    /**
     * {@return as many bytes one connection may have: the less, the more is taken} It falls with the third power of
     * what is left. If it were a part of that, those who come one after another, and give nothing back, would soon
     * leave nothing to those who come then.
     */
    public long share() {
        double free = (double) left() / max;
        return free <= 0 ? 0 : Math.max(1, (long) (max * free * free * free / SHARE));
    }

    /** {@return whether who found nothing left may go on} */
    public boolean isRelieved() {
        return left() >= max / RELIEF;
    }

    /** A connection waits for memory. */
    public void await() {
        isAwaited.set(true);
        relieve();
    }

    /** From how many bytes on a pool is to say that it has taken them, or given them back. */
    long step() {
        return step;
    }

    /** A pool has taken as many bytes; negative: has given them back. */
    void add(long bytes) {
        taken.addAndGet(bytes);
        relieve();
    }

    private void relieve() {
        if (isAwaited.get() && isRelieved() && isAwaited.compareAndSet(true, false)) {
            onRelief.run();
        }
    }
}
