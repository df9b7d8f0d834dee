// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.loop;

/**
 * Decides whether a wait first tries, for a while, a way of waiting that ends sooner and costs more. Each failed
 * attempt doubles the number of waits that do without after the next failure, up to {@value #MAX_SKIPPED}; each
 * attempt that succeeded halves it. Guarded by the lock of its owner. No allocation.
 */
public final class AdaptiveBackoff {
    private static final int MAX_SKIPPED = 1024;

    private final long nanos;

    /** Waits that do without after the next failed attempt. */
    private int penalty = 1;

    /** Waits that still do without. */
    private int skip;

    /** Makes one whose attempts last up to this number of nanoseconds; 0 for none. */
    public AdaptiveBackoff(long nanos) {
        this.nanos = nanos;
    }

    /** How long this wait may try, in nanoseconds: 0 not at all. */
    public long nanos() {
        if (nanos == 0 || skip == 0) {
            return nanos;
        }
        skip--;
        return 0;
    }

    public void onAttempt(boolean succeeded) {
        skip = succeeded ? skip : penalty;
        penalty = succeeded ? Math.max(penalty / 2, 1) : Math.min(penalty * 2, MAX_SKIPPED);
    }
}
