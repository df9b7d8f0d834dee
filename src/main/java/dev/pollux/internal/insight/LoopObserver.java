// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.insight;

/**
 * Is told, by a loop's own thread, what it finds out about itself; does nothing unless it is written otherwise.
 * Implementations allocate only if they record.
 */
interface LoopObserver {
    LoopObserver NONE = new LoopObserver() {
    };

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

    /** Whether {@link #onRefused} records anything. */
    default boolean recordsRefusals() {
        return false;
    }

    /** The mechanism has refused a channel for the first time. */
    default void onRefused(String reason) {
    }

    /** A key was found that makes the loop spin. */
    default void onSpin(SpinReport report) {
    }

    /** The loop was found to be woken again and again for nothing. */
    default void onWakeupStorm(WakeupStormReport report) {
    }

    /** The loop was found to be blocked. By the {@link WatchThread}. */
    default void onBlocked(BlockedLoopReport report) {
    }
}
