// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.tell;

import dev.pollux.internal.verdict.Verdict;

/** Lets tests warn more often than programs may. */
public final class WarningLimit {
    private WarningLimit() {
    }

    /** No warning has been logged lately. */
    public static void reset() {
        for (Verdict.Kind kind : Verdict.Kind.values()) {
            WarningLog log = WarningLog.of(kind);
            synchronized (log) {
                log.left = WarningLog.BURST;
                log.filled = System.nanoTime();
                log.omitted = 0;
            }
        }
    }
}
