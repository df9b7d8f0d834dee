// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.pollset;

/** Who waits by a {@link WaitStrategy}: says whether it was woken, and hears of interrupts while it blocks. */
public interface Waiter {
    /** Whether a wakeup has come that no wait has taken. */
    boolean isWoken();

    /** Announces that this thread is going to block: from now on a wakeup signals. False if it was woken already. */
    boolean enter();

    /** This thread no longer blocks: true if it was woken. Takes the wakeup. */
    boolean leave();

    /**
     * A thread that waited was interrupted: has it look at its interrupt status, if it is in a wait. Any thread, with a
     * lock of the interrupted one held (JDK 17), or without and perhaps late (JDK 25): the thread may have left, dealt
     * with the interrupt, and come again. So this does not count as a wakeup.
     */
    void onInterrupt();

    /** Whether the same thread waits again and again, as a rule: one of a pool may end and be forgotten. */
    default boolean isOneThread() {
        return true;
    }
}
