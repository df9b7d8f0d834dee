// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.tell;

import dev.pollux.internal.count.Loop;
import dev.pollux.internal.count.LoopObserver;
import dev.pollux.internal.count.Loops;
import dev.pollux.internal.count.Unexpected;
import dev.pollux.internal.verdict.Evidence;
import dev.pollux.internal.verdict.Herald;
import dev.pollux.internal.verdict.Verdict;
import dev.pollux.internal.verdict.Verdicts;
import java.util.List;

/**
 * Puts in place what observes loops, and what says what is wrong with them: in the log, as an event of JFR, as a
 * notification. Safe for use by many threads.
 */
public final class Insight implements LoopObserver.Source, Herald {
    /** JFR's classes are touched only if they are there. */
    private static final boolean HAS_JFR =
            ModuleLayer.boot().findModule("jdk.jfr").isPresent() && finds("jdk.jfr.FlightRecorder");

    private static final Insight ONE = new Insight();

    /** Whether JMX was asked for is known, and the MBean is registered if so. */
    private volatile boolean isJmxDecided;

    private Insight() {
    }

    /** The class loader of an OSGi framework may find less than the runtime has. */
    private static boolean finds(String name) {
        try {
            Class.forName(name, false, Insight.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException e) {
            return false;
        }
    }

    /** {@return the classes here that are to be initialised before the first loop} */
    public static List<Class<?>> classes() {
        return List.of(Insight.class, LoopInsight.class);
    }

    /** Loops that are opened from now on are observed. */
    public static void install() {
        Loops.observeBy(ONE);
        Verdicts.tellBy(ONE);
    }

    @Override
    public LoopObserver of(Loop loop) {
        return HAS_JFR ? new RecordingObserver(loop) : new LoopInsight(loop);
    }

    /** Loads nothing unless JMX is asked for. */
    @Override
    public void onAdded() {
        if (!isJmxDecided) {
            try {
                isJmxDecided = !Boolean.getBoolean(Jmx.PROPERTY) || Jmx.registerOrLog();
            } catch (SecurityException e) {
                isJmxDecided = true; // the code that opens this loop may not read the property
            }
        }
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
        try {
            if (HAS_JFR) {
                RecordingObserver.commit(loop, thread, evidence);
            }
        } catch (RuntimeException | Error e) {
            Unexpected.caught("an event of JFR", e);
        }
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
