// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.loop;

import dev.pollux.internal.count.Printable;
import dev.pollux.internal.pollset.PollSet;
import java.lang.invoke.VarHandle;

/**
 * Says whether a wakeup must signal: only if a thread is blocked in a wait, or about to be.
 *
 * <p>The state is one atomic word with two bits, BLOCKED and WOKEN, and a count of the waits. Both bits together mean
 * that a waker is about to signal. Only the finished signal clears BLOCKED, so a waker that breaks off in between (a
 * StackOverflowError) costs nothing: the next waker still finds BLOCKED, and signals too.
 *
 * <p>A signal may arrive after its wait has ended. A later wait then finds that it was not woken, and goes on. An
 * interrupt is no wakeup: it signals if it finds BLOCKED, and leaves WOKEN alone. The thread looks at its interrupt
 * status after it has set BLOCKED, and again after the wait.
 *
 * <p>Each transition is atomic and a full fence, so a thread sets BLOCKED only while WOKEN is not set. Whatever a waker
 * did before it woke happens-before the return of the selection that it woke, also when it found the selector woken
 * already. {@code WakeupModelTest} goes through every interleaving.
 *
 * <p>Thread-safety: {@code wake}, {@link #signalled}, {@link #isBlocked} and what describes are for any thread, the
 * rest for the one that waits. No allocation, but to describe.
 */
public class WakeupGate {
    private static final int BLOCKED = 1;
    private static final int WOKEN = 2;

    /** Added for each wait, so that a waker that comes late does not speak for a later wait. */
    private static final int NEXT = 4;

    /** Was found before: what can fail is not done by the initialiser of a class, which the VM runs but once. */
    private static final VarHandle STATE = WaitStrategy.gateState();

    private volatile int state;

    /**
     * The id of the thread that woke last; 0 before. Plain, since it is for people who look for a lost wakeup: what
     * they read may be a moment old. Not the thread itself, which would be kept alive.
     */
    private long waker;

    /** Wakes. Unless the ticket is 0, the waker must end the wait of a blocked thread, then call {@link #signalled}. */
    public final int wake() {
        noteWaker();
        int before = (int) STATE.getAndBitwiseOr(this, WOKEN);
        return (before & BLOCKED) != 0 ? before | WOKEN : 0;
    }

    /** Wakes, and ends the wait of a blocked thread: whether there was one. */
    public final boolean wake(WaitStrategy waiting) {
        int ticket = wake();
        if (ticket != 0) {
            waiting.wake();
            signalled(ticket);
        }
        return ticket != 0;
    }

    /** This thread wakes, if only those that come after it. */
    @SuppressWarnings("deprecation") // threadId comes with JDK 19
    public final void noteWaker() {
        waker = Thread.currentThread().getId();
    }

    /** The signal that a ticket asked for was given: later wakers need not give it again. */
    public final void signalled(int ticket) {
        STATE.compareAndSet(this, ticket, ticket & ~BLOCKED);
    }

    /** Whether a wakeup has come that no wait has taken. */
    public boolean isWoken() {
        return (state & WOKEN) != 0;
    }

    /** Whether a thread is blocked, or about to be, and no finished signal is on its way to it. */
    public boolean isBlocked() {
        return (state & BLOCKED) != 0;
    }

    /** Announces that this thread is going to block: from now on a wakeup signals. False if it was woken already. */
    public boolean enter() {
        int before = state;
        return (before & WOKEN) == 0 && STATE.compareAndSet(this, before, (before | BLOCKED) + NEXT);
    }

    /** Opens the gate again: true if a wakeup came, which is thereby taken; the selection that takes it returns. */
    public boolean leave() {
        return ((int) STATE.getAndBitwiseAnd(this, -NEXT) & WOKEN) != 0;
    }

    /** {@return what it is, who woke last, and what has become of the signals to the mechanism, in words} */
    public final String describe(PollSet mechanism) {
        return describe(state, mechanism.statistics().isWaiting()) + "; "
                + Printable.waker(waker) + "; " + mechanism.describeSignals();
    }

    private static String describe(int state, boolean isWaiting) {
        boolean isBlocked = (state & BLOCKED) != 0;
        if ((state & WOKEN) == 0) {
            return isBlocked ? "blocked: the next wakeup signals" : "idle: the next wakeup is kept, without a signal";
        }
        return isBlocked ? "being signalled: a waker has not finished its signal"
                : isWaiting ? "woken: the signal was sent, and the thread has not come out of its wait"
                : "woken: the next wait returns at once";
    }

    /** Whether the same thread waits again and again, as a rule: one of a pool may end and be forgotten. */
    public boolean isOneThread() {
        return true;
    }
}
