// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.count;

/**
 * Is told, by a loop's own thread, what it does; does nothing unless it is written otherwise. Implementations allocate
 * only if they record, and never throw: what goes wrong in them is no affair of the loop's. An interface, since the
 * verifier would look at the classes of all observers, and at all events of JFR with them.
 */
public interface LoopObserver {
    LoopObserver NONE = new LoopObserver() {
    };

    /** When a loop tells of itself. */
    enum Moment {
        /** It was opened. Any thread. */
        OPENED,

        /** It was closed. Any thread. */
        CLOSED,

        /** A wait that blocked has ended. */
        RESUMED,

        /** The thread may be about to wait; {@link #BUSY} tells whether it was. */
        PAUSING,

        /** The thread waits, or has waited, since the last {@link #PAUSING}. */
        BUSY,

        /** A second or more has passed since this came last. */
        REPORT_DUE
    }

    /** {@return an observer for another loop} */
    default LoopObserver of(Loop other) {
        return this;
    }

    /** Another loop was opened, and is among the {@link Loops}. Any thread, without a lock of ours. */
    default void onAdded() {
    }

    /** That is so now. Selections and ready keys are those before a wait, and told with {@link Moment#BUSY} alone. */
    default void on(Moment moment, long selections, long ready) {
    }

    /** The loop has waited for the first time, or has made many selections: false to be told again later. */
    default boolean onUse() {
        return true;
    }

    /** Whether {@link #onRefused} records anything. */
    default boolean recordsRefusals() {
        return false;
    }

    /** The mechanism has refused a channel for the first time. */
    default void onRefused(String reason) {
    }

    /** A loop's own thread has found something that the administrator should know. */
    default void onWarning(String message) {
    }

    /** The code that opens a loop has found something that the administrator should know. */
    default void warn(String message) {
    }
}
