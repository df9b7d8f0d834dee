// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.tell;

import dev.pollux.internal.count.Loop;
import dev.pollux.internal.count.LoopObserver;
import dev.pollux.internal.verdict.Verdicts;
import dev.pollux.internal.verdict.WatchThread;

/** Observes one loop where there is no JFR: for its verdict, and for the log. No allocation unless it is told something. */
class LoopInsight implements LoopObserver {
    /**
     * Whether {@link Findings} has a listener. Kept here, so that a refusal loads no class where the stack may end.
     */
    private static volatile boolean isHeard;

    /** It refers to this observer, and nothing else does: so it is not kept by us. */
    final Loop loop;

    LoopInsight(Loop loop) {
        this.loop = loop;
    }

    static void setHeard(boolean isHeard) {
        LoopInsight.isHeard = isHeard;
    }

    @Override
    public boolean onUse() {
        return Verdicts.onUse(loop);
    }

    @Override
    public boolean recordsRefusals() {
        return isHeard;
    }

    @Override
    public void onRefused(String reason) {
        Verdicts.onRefused(loop, reason);
    }

    /** By another thread: the loop's holds locks. */
    @Override
    public void onWarning(String message) {
        WatchThread.submit(() -> WarningLog.REFUSALS.warn(message, null));
    }
}
