// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.insight;

/** Chooses who observes loops: JFR's events, where the runtime has the module. Immutable. */
final class Observers {
    /** Its classes are touched only if it is there. */
    private static final boolean HAS_JFR =
            ModuleLayer.boot().findModule("jdk.jfr").isPresent() && finds("jdk.jfr.FlightRecorder");

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
        return HAS_JFR ? new RecordingObserver(loop) : LoopObserver.NONE;
    }
}
