// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.insight;

/**
 * A selector that is woken thousands of times a second, while no key is ready, none is registered or changed, and
 * no channel is read or written.
 *
 * @param loop        the selector's number ({@link LoopStatistics#number})
 * @param interrupted whether it is the thread's interrupt status that ends each selection
 * @param rate        wakeups in a second
 * @param waker       the stack of one call of {@code wakeup}, its message the thread's name; null if none was seen
 * @param isOwn       whether that call was made by the thread that selects, as all that were seen
 */
public record WakeupStormReport(long loop, String mechanism, Thread thread, boolean interrupted, long rate,
        Throwable waker, boolean isOwn) {

    @Override
    public String toString() {
        return "Selector " + loop + " (" + mechanism + ") of thread \"" + Printable.of(thread.getName())
                + "\" is woken " + rate + " times a second, though few keys or none are ready or change. "
                + (interrupted
                ? "The thread is interrupted, so each selection returns at once: clear that by Thread.interrupted()."
                : "Call wakeup() once for all that waits to be done.") + source();
    }

    private String source() {
        return waker == null ? "" : isOwn ? " This thread makes the calls itself."
                : " One of the calls came from thread \"" + waker.getMessage() + "\".";
    }
}
