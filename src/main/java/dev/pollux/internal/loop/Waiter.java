// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.loop;

/** Who waits by a {@link WaitStrategy}: says whether it was woken, and whether it blocks. */
public interface Waiter {
    /** Whether a wakeup has come that no wait has taken. */
    boolean isWoken();

    /** Announces that this thread is going to block: from now on a wakeup signals. False if it was woken already. */
    boolean enter();

    /** This thread no longer blocks: true if it was woken. Takes the wakeup. */
    boolean leave();

    /** Whether a thread blocks, or is about to, and no finished signal is on its way to it. Any thread. */
    boolean isBlocked();

    /** Whether the same thread waits again and again, as a rule: one of a pool may end and be forgotten. */
    default boolean isOneThread() {
        return true;
    }
}
