// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.verdict;

import dev.pollux.internal.count.Printable;
import java.util.Arrays;
import java.util.stream.Collectors;

/**
 * A selector that is woken thousands of times a second, while no key is ready, none is registered or changed, and
 * no channel is read or written.
 *
 * @param loop          the selector's number
 * @param thread        the name of the thread that selects
 * @param isInterrupted whether it is the thread's interrupt status that ends each selection
 * @param rate          wakeups in a second
 * @param stack         the stack of one call of {@code wakeup}; null if none was seen
 * @param isOwn         whether that call was made by the thread that selects, as all that were seen
 * @param before        what the log says before it
 */
public record WakeupStormReport(long loop, String mechanism, String thread, boolean isInterrupted, long rate,
        ShownStack stack, boolean isOwn, String before) implements Evidence {

    /** The method that wakes may be one of many that all do so by another one. */
    private static final int MAX_CALLS = 4;

    @Override
    public Verdict.Kind kind() {
        return Verdict.Kind.WAKEUP_STORM;
    }

    @Override
    public String summary() {
        if (stack == null) {
            return isInterrupted ? "the thread is interrupted" : rate + "/s";
        }
        StackTraceElement[] calls = stack.getStackTrace();
        return "woken " + rate + " times a second by " + stack.getMessage() + (calls.length == 0 ? "" : " at ")
                + Arrays.stream(calls).limit(MAX_CALLS).map(Object::toString).collect(Collectors.joining(", in "));
    }

    @Override
    public String toString() {
        return before + "Selector " + loop + " (" + mechanism + ") of thread \"" + Printable.of(thread)
                + "\" is woken " + rate + " times a second, though few keys or none are ready or change. "
                + (isInterrupted
                ? "The thread is interrupted, so each selection returns at once: clear that by Thread.interrupted()."
                : "Call wakeup() once for all that waits to be done.") + source();
    }

    private String source() {
        return stack == null ? "" : isOwn ? " This thread makes the calls itself."
                : " One of the calls came from " + stack.getMessage() + '.';
    }
}
