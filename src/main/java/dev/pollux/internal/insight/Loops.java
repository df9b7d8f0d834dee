// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.insight;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;

/** All loops that are open. Safe for use by many threads; it keeps no loop alive. */
public final class Loops {
    private static final Map<Loop, Boolean> OPEN = new WeakHashMap<>();

    /** JFR's classes are touched only if they are there. */
    private static final boolean HAS_JFR =
            ModuleLayer.boot().findModule("jdk.jfr").isPresent() && finds("jdk.jfr.FlightRecorder");

    /** Whether JMX was asked for is known, and the MBean is registered if so. */
    private static volatile boolean isJmxDecided;

    /** No lambda: the first one of a program that has none takes some milliseconds, and this is used in each. */
    private static final class ByNumber implements Comparator<Loop> {
        @Override
        public int compare(Loop a, Loop b) {
            return Long.compare(a.statistics().number(), b.statistics().number());
        }
    }

    private Loops() {
    }

    /** The class loader of an OSGi framework may find less than the runtime has. */
    private static boolean finds(String name) {
        try {
            Class.forName(name, false, Loops.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException e) {
            return false;
        }
    }

    /** {@return the classes here that have an initialiser, and are to be initialised before the first loop} */
    public static List<Class<?>> classes() {
        return List.of(Counter.class, LoopStatistics.class, Loops.class);
    }

    public static void add(Loop loop) {
        loop.statistics().onOpened(HAS_JFR ? new RecordingObserver(loop) : LoopObserver.NONE);
        synchronized (OPEN) {
            OPEN.put(loop, true);
        }
        if (!isJmxDecided) {
            decideJmx();
        }
    }

    /** Without the lock: the MBean server's start runs code that is not ours. Loads nothing unless it is asked for. */
    private static void decideJmx() {
        try {
            if (Boolean.getBoolean(Jmx.PROPERTY)) {
                Jmx.registerOrLog();
            }
        } catch (SecurityException e) {
            // the code that opens this loop may not read the property
        }
        isJmxDecided = true;
    }

    /** A loop was closed. Once more has no effect. */
    public static void remove(Loop loop) {
        boolean wasOpen;
        synchronized (OPEN) {
            wasOpen = OPEN.remove(loop) != null;
        }
        if (wasOpen) {
            loop.statistics().onClosed();
        }
    }

    /** {@return those that are open, in the order in which they were opened} */
    public static List<Loop> open() {
        List<Loop> open = unordered();
        open.sort(new ByNumber());
        return open;
    }

    static List<Loop> unordered() {
        synchronized (OPEN) {
            return new ArrayList<>(OPEN.keySet());
        }
    }
}
