// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.selector;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Says whether a wakeup must make a system call: only if a thread is blocked in a selection, or about to be.
 *
 * <p>Each transition is an atomic exchange: a full fence between "blocked" being published and "woken" being looked for, and
 * whatever a waker did before it woke happens-before the return of the selection that it woke, also when it found the
 * selector woken already.
 *
 * <p>Thread-safety: {@link #wake} is for any thread, the rest for the selecting thread. No allocation.
 */
final class WakeupGate {
    private static final int IDLE = 0;
    private static final int BLOCKED = 1;
    private static final int WOKEN = 2;

    private static final VarHandle STATE;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(WakeupGate.class, "state", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    @SuppressWarnings("unused") // through STATE
    private volatile int state;

    /** Wakes: true if the caller must now end the wait of a blocked thread. */
    boolean wake() {
        return (int) STATE.getAndSet(this, WOKEN) == BLOCKED;
    }

    boolean isWoken() {
        return state == WOKEN;
    }

    /** Announces that this thread is going to block: false if it must not, because it was woken. */
    boolean enter() {
        return STATE.compareAndSet(this, IDLE, BLOCKED);
    }

    /** Opens the gate again: true if a wakeup came, which is thereby taken; the selection that takes it returns. */
    boolean leave() {
        return (int) STATE.getAndSet(this, IDLE) == WOKEN;
    }
}
