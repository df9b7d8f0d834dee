// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.count;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;

/** All loops that are open. Safe for use by many threads; it keeps no loop alive. */
public final class Loops {
    private static final Map<Loop, Boolean> OPEN = new WeakHashMap<>();

    /** For each loop that is opened it makes another one of its kind. */
    private static volatile LoopObserver observer = LoopObserver.NONE;

    /**
     * What a loop's own thread has caught last, while it was looked at; null if nothing, or if it is {@linkplain
     * #takeCaught taken}. Only assigned there, which takes no call: there may be no stack for one.
     */
    public static volatile Throwable caught;

    /** No lambda: the first one of a program that has none takes some milliseconds, and this is used in each. */
    private static final class ByNumber implements Comparator<Loop> {
        @Override
        public int compare(Loop a, Loop b) {
            return Long.compare(a.statistics().number(), b.statistics().number());
        }
    }

    private Loops() {
    }

    /** {@return the classes here that have an initialiser, and are to be initialised before the first loop} */
    public static List<Class<?>> classes() {
        return List.of(Counter.class, LoopStatistics.class, Loops.class);
    }

    /** Has each loop that is opened from now on be observed by one of this kind. */
    public static void observeBy(LoopObserver one) {
        observer = one;
    }

    public static void add(Loop loop) {
        loop.statistics().onOpened(observer.of(loop));
        synchronized (OPEN) {
            OPEN.put(loop, true);
        }
        observer.onAdded();
    }

    /** Tells the administrator what was found when a loop was opened. */
    public static void warn(String message) {
        observer.warn(message);
    }

    /** {@return what was caught, once} */
    public static Throwable takeCaught() {
        Throwable taken = caught;
        caught = null;
        return taken;
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

    public static List<Loop> unordered() {
        synchronized (OPEN) {
            return new ArrayList<>(OPEN.keySet());
        }
    }
}
