// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.tell;

import dev.pollux.internal.count.Loop;
import dev.pollux.internal.verdict.Evidence;
import dev.pollux.internal.verdict.Herald;
import dev.pollux.internal.verdict.Verdict;
import dev.pollux.internal.verdict.Verdicts;

/** Says what was found in the log, as an event of JFR, and as a notification. Safe for use by many threads. */
final class Teller implements Herald {
    private Teller() {
    }

    static void install() {
        Verdicts.tellBy(new Teller());
    }

    @Override
    public boolean isPrepared() {
        return Preparation.isDone();
    }

    /** What one of the three does wrong keeps the others from nothing. */
    @Override
    public void tell(Loop loop, Thread thread, Evidence evidence, boolean isLogged) {
        if (isLogged) {
            WarningLog.of(evidence.kind()).warn(evidence.toString(), evidence.stack());
        }
        Insight.record(loop, thread, evidence);
        Findings.tell(evidence.kind(), loop.statistics().number(), evidence);
    }

    @Override
    public void log(Verdict.Kind kind, String message) {
        WarningLog.of(kind).warn(message, null);
    }

    @Override
    public void warn(String message) {
        WarningLog.REFUSALS.warn(message, null);
    }

    @Override
    public boolean sayPending() {
        return WarningLog.sayPending();
    }
}
