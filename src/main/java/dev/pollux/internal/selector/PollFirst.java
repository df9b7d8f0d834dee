// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.selector;

/**
 * Decides whether a selection that may block polls first, which spares a busy selector the preparations for blocking, or
 * blocks right away, which spares an idle one the system call of a poll in vain.
 *
 * <p>At most one poll in {@value #PRICE} selections is in vain, however the load changes. Guarded by the selector's lock.
 */
final class PollFirst {
    /** So many selections pay for one poll in vain. */
    private static final int PRICE = 64;

    /** Selections since the last poll in vain, as far as they count. */
    private int saved;

    boolean isWorthwhile() {
        if (saved < PRICE) {
            saved++;
            return false;
        }
        return true;
    }

    void inVain() {
        saved = 0;
    }
}
