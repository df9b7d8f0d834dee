// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.tell;

import java.util.List;

/** Lets tests warn more often than programs may. */
public final class WarningLimit {
    private WarningLimit() {
    }

    /** No warning has been logged lately. */
    public static void reset() {
        for (WarningLog kind : List.of(WarningLog.SPINS, WarningLog.WAKEUP_STORMS, WarningLog.BLOCKED_LOOPS,
                WarningLog.LOST_THREADS, WarningLog.REFUSALS)) {
            synchronized (kind) {
                kind.left = WarningLog.BURST;
                kind.filled = System.nanoTime();
                kind.omitted = 0;
            }
        }
    }
}
