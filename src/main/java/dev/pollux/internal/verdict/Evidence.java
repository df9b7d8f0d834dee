// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.verdict;

import dev.pollux.internal.count.Printable;

/**
 * What was found of a loop, to be told once. {@code toString} is what the log says. Immutable. It keeps neither the
 * loop nor its thread alive, and no class of the application's.
 */
public sealed interface Evidence
        permits SpinReport, WakeupStormReport, BlockedLoopReport, Evidence.LostThread, Evidence.Refusal {
    Verdict.Kind kind();

    /** {@return the part that a row of a table has room for} */
    String summary();

    /** {@return a stack that the log prints after the message; null if there is none} */
    default Throwable stack() {
        return null;
    }

    /**
     * A loop whose thread has ended or left, while something waits for it.
     *
     * @param loop   "selector 3 (epoll)" and the like
     * @param thread the thread's name
     * @param how    what it has done, as a predicate
     */
    record LostThread(String loop, String thread, String how) implements Evidence {
        @Override
        public Verdict.Kind kind() {
            return Verdict.Kind.LOST_THREAD;
        }

        @Override
        public String summary() {
            return '"' + Printable.of(thread) + "\" " + how;
        }

        @Override
        public String toString() {
            return "No thread selects from " + loop + ": the one that did, \"" + Printable.of(thread) + "\", " + how
                    + ", and none has taken its place for " + Limits.LOST_NANOS / Limits.SECOND + " seconds. Until one"
                    + " does, what is registered is not served. Find out why (an executor's submit() keeps the"
                    + " exception of a task that fails), or close the selector if it is not needed.";
        }
    }

    /**
     * A channel that the mechanism has refused.
     *
     * @param reason the system call, the channel, its descriptor, and the error
     */
    record Refusal(String reason) implements Evidence {
        @Override
        public Verdict.Kind kind() {
            return Verdict.Kind.REFUSES;
        }

        @Override
        public String summary() {
            return reason;
        }

        @Override
        public String toString() {
            return reason;
        }
    }
}
