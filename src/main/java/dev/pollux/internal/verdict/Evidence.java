// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.verdict;

/**
 * What was found of a loop, to be told once. {@code toString} is what the log says. Immutable. It keeps neither the
 * loop nor its thread alive, and no class of the application's.
 */
public sealed interface Evidence
        permits SpinReport, WakeupStormReport, BlockedLoopReport, LostThreadReport, RefusalReport {
    Verdict.Kind kind();

    /** {@return the part that a row of a table has room for} */
    String summary();

    /** {@return a stack that the log prints after the message; null if there is none} */
    default Throwable stack() {
        return null;
    }
}
