// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.selector;

/**
 * Whether the other of two ways to tell the mechanism of keys pays. The usual way mostly spares system calls; where it
 * fails, the other one would have spared more. So each success of the usual way counts for one, each failure against
 * two. While the other way is taken, a few keys still go the usual way, to find out when that pays again. Guarded by
 * the selector's lock. Allocates nothing.
 */
final class OtherWay {
    /** While the other way is taken, one key in this number goes the usual way. */
    private static final int PROBE = 16;

    /** The balance does not leave [-MAX_BALANCE, MAX_BALANCE]: what was long ago counts for little. */
    private static final int MAX_BALANCE = 64;

    private final boolean supported;

    /** System calls that the other way would have spared lately. */
    private int balance;

    private int keys;

    OtherWay(boolean supported) {
        this.supported = supported;
    }

    boolean isWorthwhile() {
        return supported && balance > 0 && ++keys % PROBE != 0;
    }

    /** The usual way has failed. */
    void wouldSucceed() {
        balance = Math.min(balance + 2, MAX_BALANCE);
    }

    /** The usual way has spared a call, or a key that went the other way would have. */
    void wouldFail() {
        balance = Math.max(balance - 1, -MAX_BALANCE);
    }
}
