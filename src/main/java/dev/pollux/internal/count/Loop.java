// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.count;

/**
 * What waits for events again and again: a selector, a Poller, a loop of a StreamServer. All methods are for any
 * thread, also when it is closed, and never block for long.
 */
public interface Loop {
    /** {@return "selector", "Poller", "StreamServer"} */
    String kind();

    String mechanism();

    LoopStatistics statistics();

    /** {@return how many keys, members or connections it has; 0 when it is closed} */
    int size();

    /** {@return how many of these the mechanism has refused, so that poll(2) watches them} */
    default int refused() {
        return 0;
    }

    /** {@return whether there are events that are not fetched yet; false where that can't be told} */
    boolean isReadable();

    /** {@return whether connections are accepted by it: then its program can't have left it alone} */
    default boolean isListening() {
        return false;
    }

    /** {@return whether anything registered asks for events; not so of keys that were cancelled} It may take longer. */
    default boolean isInterested() {
        return size() != 0;
    }

    /** {@return whether a wakeup has come that no wait has taken; false where that can't be told} */
    default boolean isWoken() {
        return false;
    }

    /**
     * {@return for people who look for a lost wakeup: whether one is on its way, who woke last, how many signals were
     * sent, and how many the kernel has counted; empty where that is not known}
     */
    default String gate() {
        return "";
    }
}
