// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.insight;

/** Is told, by a loop's own thread, what it finds out about itself. Implementations allocate only if they record. */
interface LoopObserver {
    LoopObserver NONE = new LoopObserver() {
        @Override
        public void onBusy(long nanos, long selections, long ready) {
        }

        @Override
        public void onReportDue() {
        }

        @Override
        public void onSpin(SpinReport report) {
        }

        @Override
        public void onWakeupStorm(WakeupStormReport report) {
        }
    };

    /** The thread is going to wait, so long after the last wait, and after so many selections and ready keys. */
    void onBusy(long nanos, long selections, long ready);

    /** A second or more has passed since this was called last. */
    void onReportDue();

    /** A key was found that makes the loop spin. */
    void onSpin(SpinReport report);

    /** The loop was found to be woken again and again for nothing. */
    void onWakeupStorm(WakeupStormReport report);
}
