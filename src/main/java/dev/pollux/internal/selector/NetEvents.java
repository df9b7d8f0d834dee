// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.selector;

import dev.pollux.internal.pollset.PollSet;
import sun.nio.ch.Net;

/**
 * Translates between events of a {@link PollSet} and those of the JDK's channels, which are of the system's {@code
 * poll.h}: the same everywhere but on Windows. Connecting and writing are one event to every mechanism.
 */
final class NetEvents {
    private NetEvents() {
    }

    /** Constants, which the compiler folds; in an initialiser it would be one more that can fail. */
    private static boolean isSame() {
        return Net.POLLIN == PollSet.IN && Net.POLLOUT == PollSet.OUT && Net.POLLCONN == PollSet.OUT
                && Net.POLLERR == PollSet.ERR && Net.POLLHUP == PollSet.HUP;
    }

    static int fromNet(int events) {
        return isSame() ? events
                : map(events, Net.POLLIN, PollSet.IN) | map(events, Net.POLLOUT | Net.POLLCONN, PollSet.OUT);
    }

    static int toNet(int events) {
        return isSame() ? events
                : map(events, PollSet.IN, Net.POLLIN) | map(events, PollSet.OUT, Net.POLLOUT | Net.POLLCONN)
                | map(events, PollSet.ERR, Net.POLLERR) | map(events, PollSet.HUP, Net.POLLHUP);
    }

    private static int map(int events, int from, int to) {
        return (events & from) != 0 ? to : 0;
    }
}
