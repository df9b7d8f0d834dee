// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.verdict;

import dev.pollux.internal.count.Printable;

/**
 * A loop whose thread has ended or left, while something waits for it.
 *
 * @param loop   "selector 3 (epoll)" and the like
 * @param thread the thread's name
 * @param how    what it has done, as a predicate
 */
public record LostThreadReport(String loop, String thread, String how) implements Evidence {
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
                + " does, what is registered is not served. Find out why (an executor's submit() keeps the exception"
                + " of a task that fails), or close the selector if it is not needed.";
    }
}
