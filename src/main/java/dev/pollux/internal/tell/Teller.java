// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.tell;

import dev.pollux.internal.count.Loop;
import dev.pollux.internal.count.Unexpected;
import dev.pollux.internal.verdict.Evidence;
import dev.pollux.internal.verdict.Herald;
import dev.pollux.internal.verdict.Verdict;
import dev.pollux.internal.verdict.Verdicts;

/**
 * Says what was found in the log, as an event of JFR, and to a listener: the MBean, once that has one of its own. Safe
 * for use by many threads.
 */
final class Teller implements Herald {
    /** Null if there is none. */
    private static volatile Listener listener;

    /** Must return soon. */
    @FunctionalInterface
    interface Listener {
        void onFinding(Verdict.Kind kind, long loop, String message);
    }

    /** A warning of a loop's own thread, on its way to the log. No lambda: its first use may fail. */
    record Warning(String message) implements Runnable {
        @Override
        public void run() {
            WarningLog.log(message, null);
        }
    }

    private Teller() {
    }

    static void install() {
        Verdicts.tellBy(new Teller());
    }

    /** Has it listen from now on; null for none. */
    static void setListener(Listener one) {
        listener = one;
        Insight.isHeard = one != null;
    }

    @Override
    public boolean isPrepared() {
        return Preparation.isDone();
    }

    /** What one of the three does wrong keeps the others from nothing. */
    @Override
    public void tell(Loop loop, Thread thread, Evidence evidence, boolean isLogged) {
        Insight.record(loop, thread, evidence); // first: who reads the warning finds the event
        if (isLogged) {
            WarningLog.of(evidence.kind()).warn(evidence.toString(), evidence.stack());
        }
        notifyListener(evidence.kind(), loop.statistics().number(), evidence);
    }

    /** What goes wrong here costs the listener a message, and nothing else. */
    static void notifyListener(Verdict.Kind kind, long loop, Object message) {
        Listener one = listener;
        try {
            if (one != null) {
                one.onFinding(kind, loop, message.toString());
            }
        } catch (RuntimeException | Error e) {
            Unexpected.caught("a notification", e);
        }
    }

    @Override
    public void log(Verdict.Kind kind, String message) {
        WarningLog.of(kind).warn(message, null);
    }

    @Override
    public void warn(String message) {
        WarningLog.log(message, null);
    }

    @Override
    public boolean sayPending() {
        return WarningLog.sayPending();
    }
}
