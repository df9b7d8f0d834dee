// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.selector;

import dev.pollux.internal.count.LoopStatistics;
import java.nio.channels.Selector;

/** Lets tests of other packages look into a selector of Pollux. */
public final class SelectorInsight {
    private SelectorInsight() {
    }

    public static LoopStatistics statistics(Selector selector) {
        return ((PolluxSelector) selector).statistics();
    }

    /** How many keys poll(2) watches now, because the mechanism has refused them. */
    public static int refusedKeys(Selector selector) {
        return ((PolluxSelector) selector).refused();
    }

    /** Whether any key asks for events. */
    public static boolean isInterested(Selector selector) {
        return ((PolluxSelector) selector).isInterested();
    }
}
