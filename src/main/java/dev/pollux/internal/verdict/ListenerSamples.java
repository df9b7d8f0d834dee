// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.verdict;

import dev.pollux.internal.pollset.ArrivalQueue;

/**
 * What the samples say of a listening socket that all of them report. A queue of connections that has the same length
 * each time is not accepted from, unless as many arrive. A program that accepts can't have no descriptor left, at that
 * many moments: then accepting fails.
 *
 * <p>Guarded by the selector's lock. No allocation.
 */
final class ListenerSamples {
    private boolean isUnchanged;
    private boolean mayBeStarved;
    private int starved;

    void begin() {
        isUnchanged = true;
        mayBeStarved = true;
        starved = 0;
    }

    void add(ArrivalQueue queue) {
        isUnchanged = isUnchanged && queue.takeChange() == 0;
    }

    /** Whether nothing was taken, and nothing has come. */
    boolean isUnchanged() {
        return isUnchanged;
    }

    /** Whether no descriptor is left, in this sample and in enough of those before it. */
    boolean isStarved(ArrivalQueue queue) {
        if (mayBeStarved) {
            mayBeStarved = !queue.hasDescriptorLeft();
            starved++;
        }
        return mayBeStarved && starved >= Limits.MIN_STARVED;
    }

    boolean isHealthy() {
        return !isUnchanged && !mayBeStarved;
    }
}
