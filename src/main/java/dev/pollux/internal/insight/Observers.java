// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.insight;

import java.util.List;

/** Chooses who observes loops: JFR's events, where the runtime has the module. Immutable. */
final class Observers {
    /** Its classes are touched only if it is there. */
    private static final boolean HAS_JFR = ModuleLayer.boot().findModule("jdk.jfr").isPresent();

    private Observers() {
    }

    static LoopObserver of(Loop loop) {
        return HAS_JFR ? new JfrObserver(loop) : LoopObserver.NONE;
    }

    /** The classes with initialisers that observers need. */
    static List<Class<?>> classes() {
        return HAS_JFR ? JfrObserver.classes() : List.of();
    }
}
