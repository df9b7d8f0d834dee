// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.loop;

/**
 * Decides whether a wait polls first or blocks right away. To poll first spares a busy thread the preparations for
 * blocking. To block right away spares an idle thread the system call of an empty poll. At most one poll in {@value
 * #MIN_PRICE} selections is empty, however the load changes, and one in {@value #MAX_PRICE} if no poll finds anything.
 * Guarded by the lock of its owner. No allocation.
 */
public final class PollFirst {
    /** Number of selections that pay for an empty poll, if the poll before it found something. */
    private static final int MIN_PRICE = 64;

    private static final int MAX_PRICE = 1024;

    /** How many selections pay for the next empty poll. */
    private int price = MIN_PRICE;

    /** Selections since the last empty poll, as far as they count. */
    private int saved;

    /** Polls since the last empty one. */
    private int polls;

    public boolean isWorthwhile() {
        if (saved < price) {
            saved++;
            return false;
        }
        polls++;
        return true;
    }

    /** The poll has found nothing. */
    public void failed() {
        price = polls > 1 ? MIN_PRICE : Math.min(price * 2, MAX_PRICE);
        polls = 0;
        saved = 0;
    }
}
