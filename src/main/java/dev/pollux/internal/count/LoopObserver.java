// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.count;

/**
 * Is told, by a loop's own thread, what it does; does nothing unless it is written otherwise. Implementations allocate
 * only if they record, and never throw: what goes wrong in them is no affair of the loop's.
 */
public interface LoopObserver {
    LoopObserver NONE = new LoopObserver() {
    };

    /** {@return an observer for another loop} */
    default LoopObserver of(Loop other) {
        return this;
    }

    /** Another loop was opened, and is among the {@link Loops}. Any thread, without a lock of ours. */
    default void onAdded() {
    }

    /** The loop was opened. Any thread. */
    default void onOpened() {
    }

    /** It was closed. Any thread. */
    default void onClosed() {
    }

    /** A wait that blocked has ended. */
    default void onResume() {
    }

    /** The thread may be about to wait; {@link #onBusy} tells whether it was. */
    default void onPause() {
    }

    /** The thread waits, or has waited, since the last {@link #onPause}; selections before that, and ready keys. */
    default void onBusy(long selections, long ready) {
    }

    /** A second or more has passed since this was called last. */
    default void onReportDue() {
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
