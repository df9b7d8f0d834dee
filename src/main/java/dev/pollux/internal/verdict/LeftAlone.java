// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.verdict;

import dev.pollux.internal.count.Loop;
import dev.pollux.internal.count.LoopStatistics;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Loops whose thread has turned to an older one since: selectors that a handler has opened and never closed, say. They
 * neither wait nor are busy. A thread that uses a newer one is still in a handler of the older. Stateless.
 */
final class LeftAlone {
    private LeftAlone() {
    }

    /** {@return those among loops in the order of their numbers} */
    static Set<Loop> among(List<Loop> loops) {
        Set<Loop> found = new HashSet<>();
        Map<Thread, Long> turned = new HashMap<>();
        long now = System.nanoTime();
        for (Loop loop : loops) {
            LoopStatistics statistics = loop.statistics();
            Thread thread = statistics.thread();
            long since = statistics.stateNanos() - (System.nanoTime() - now);
            Long older = thread == null ? null : turned.get(thread);
            if (older != null && !statistics.isWaiting() && since - older > Limits.SAME_NANOS) {
                found.add(loop);
            }
            if (thread != null && (older == null || since < older)) {
                turned.put(thread, since);
            }
        }
        return found;
    }
}
