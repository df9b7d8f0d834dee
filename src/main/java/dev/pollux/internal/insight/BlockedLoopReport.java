// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.insight;

import java.util.Locale;

/**
 * A loop that does not return to its wait, though there are events or wakeups.
 *
 * @param nanos how long it has not, so far
 * @param lock  who holds the lock that the thread waits for, in a sentence after a blank; empty if it waits for none
 * @param stack what the thread does; suppressed in it, what the lock's owner does
 */
record BlockedLoopReport(Loop loop, Thread thread, long nanos, String lock, Throwable stack) {

    /** {@return "selector 3 (epoll)" and the like} */
    static String name(Loop loop) {
        return loop.kind() + ' ' + loop.statistics().number() + " (" + loop.mechanism() + ')';
    }

    static String seconds(long nanos) {
        return String.format(Locale.ROOT, "%.1f seconds", nanos / 1e9);
    }

    @Override
    public String toString() {
        return "Thread \"" + Printable.of(thread.getName()) + "\" of " + name(loop) + " is blocked: it has not returned"
                + " to its wait for " + seconds(nanos) + ", though there are events." + lock + " Until it does, none of"
                + " its " + loop.size() + " channels is served. Move what takes long to another thread; the stack shows"
                + " it.";
    }
}
