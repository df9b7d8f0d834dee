// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.insight;

import java.util.List;

/** Chooses who observes loops: JFR's events, where the runtime has the module. Immutable. */
final class Observers {
    /** Its classes are touched only if it is there. */
    private static final boolean HAS_JFR =
            ModuleLayer.boot().findModule("jdk.jfr").isPresent() && finds("jdk.jfr.Event");

    private Observers() {
    }

    /** The class loader of an OSGi framework may find less than the runtime has. */
    private static boolean finds(String name) {
        try {
            Class.forName(name, false, Observers.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException e) {
            return false;
        }
    }

    static LoopObserver of(Loop loop) {
        return HAS_JFR ? new JfrObserver(loop) : LoopObserver.NONE;
    }

    /** The classes with initialisers that observers need. */
    static List<Class<?>> classes() {
        return HAS_JFR ? JfrObserver.classes() : List.of();
    }
}
