// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.pollset;

/** Who waits by a {@link WaitStrategy}: says whether it was woken, and hears of interrupts. */
public interface Waiter {
    /** Whether a wakeup has come that no wait has taken. */
    boolean isWoken();

    /** Announces that this thread is going to block: from now on a wakeup signals. False if it was woken already. */
    boolean enter();

    /** This thread no longer blocks: true if it was woken. Takes the wakeup. */
    boolean leave();

    /** From here on an interrupt of this thread wakes it, and so does one that came before. */
    void beginInterruptible();

    /** Interrupts no longer matter. */
    void endInterruptible();
}
