// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.verdict;

/** Lets tests have the warning about replaced selectors more often than programs. */
public final class RebuildLimit {
    private RebuildLimit() {
    }

    /** No selector was replaced lately, and there was no warning. */
    @SuppressWarnings("LockOnNonEnclosingClassLiteral") // that of the fields
    public static void reset() {
        synchronized (SelectorWatch.Rebuilds.class) {
            SelectorWatch.Rebuilds.COUNTS.clear();
            SelectorWatch.Rebuilds.warned = System.nanoTime() - Limits.SILENCE_NANOS;
        }
    }
}
