// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.insight;

import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * Which loops are known to be stalled: there are events, and the loop has not selected for 100 ms.
 *
 * <p>A loop does not note when it has selected, since reading the clock is too expensive. One that has selected
 * once since its last wait has done so when that ended. Otherwise it is looked at twice. Stateless.
 */
final class Stalls {
    private static final long LONG_MILLIS = 100;
    private static final long LONG_NANOS = TimeUnit.MILLISECONDS.toNanos(LONG_MILLIS);

    private Stalls() {
    }

    /** Looks; takes 100 ms if some have selected more than once since they waited, and may be stalled nevertheless. */
    static Set<Loop> among(List<Loop> loops) {
        List<Suspect> suspects = loops.stream().filter(Stalls::mayBeStalled).map(Suspect::new).toList();
        boolean isKnown = suspects.stream().allMatch(Suspect::isClear) || pause();
        return suspects.stream().filter(suspect -> isKnown && suspect.isStalled()).map(Suspect::loop)
                .collect(Collectors.toSet());
    }

    private static boolean mayBeStalled(Loop loop) {
        return loop.statistics().busyNanos() >= LONG_NANOS && loop.isReadable();
    }

    private static boolean pause() {
        try {
            Thread.sleep(LONG_MILLIS);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private record Suspect(Loop loop, long selections, boolean isClear) {
        Suspect(Loop loop) {
            this(loop, loop.statistics().count(Counter.SELECTIONS), loop.statistics().busySelections() <= 1);
        }

        boolean isStalled() {
            LoopStatistics now = loop.statistics();
            return now.count(Counter.SELECTIONS) == selections && now.busyNanos() >= LONG_NANOS;
        }
    }
}
