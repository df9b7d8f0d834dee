// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.selector;

/**
 * Decides how a key that is read from is armed: until its interest is taken away, lazily, or for one event
 * (EPOLLONESHOT).
 *
 * <p>A server that has another thread read takes the interest in a ready key away and gives it back later. Lazily that
 * costs no system call if the thread has read before the selector waits again; else it costs a wait that ends with an
 * unwanted event, a removal and a registration. One-shot, it costs one change either way. So each success of laziness
 * counts for one, each failure against two; while it fails, a few armings still go the lazy way, to find out when that
 * pays again.
 *
 * <p>Guarded by the selector's lock. Allocates nothing.
 */
final class OneShotPolicy {
    /** While keys are armed one-shot, one in so many is not. */
    private static final int PROBE = 16;

    /** The balance does not leave [-MOST, MOST]: what was long ago counts for little. */
    private static final int MOST = 64;

    /** Whether the mechanism has one-shot events. */
    private final boolean supported;

    /** System calls that one-shot arming would have spared lately. */
    private int balance;

    private int armings;

    OneShotPolicy(boolean supported) {
        this.supported = supported;
    }

    /** Whether the key that is being armed shall be armed for one event. */
    boolean isWorthwhile() {
        return supported && balance > 0 && ++armings % PROBE != 0;
    }

    /** An event came for a key whose interest was to be taken away lazily. */
    void wouldHavePaid() {
        balance = Math.min(balance + 2, MOST);
    }

    /**
     * Interest that was taken away lazily was given back before an event came, or is still there after the one event of
     * a one-shot key.
     */
    void wouldNotHavePaid() {
        balance = Math.max(balance - 1, -MOST);
    }
}
