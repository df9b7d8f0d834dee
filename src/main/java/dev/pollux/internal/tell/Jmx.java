// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.tell;

import dev.pollux.internal.jdk.Room;
import dev.pollux.internal.verdict.WatchThread;

/**
 * Registers the MBean of all loops, only when asked to: to make the platform's MBean server takes a quarter of a
 * second. Without the module {@code java.management} it says so. Safe for use by many threads.
 */
public final class Jmx {
    /** System property: whether the MBean is registered when the first loop is opened. */
    public static final String PROPERTY = "dev.pollux.jmx";

    private static final String MODULE = "java.management";

    /** The name of our MBean; null if it is not registered. Guarded by this class. */
    private static Object name;

    private Jmx() {
    }

    /** Registers the MBean, or has the log say why not: false if there is no room for that now. */
    static boolean registerOrLog() {
        try {
            if (!Room.isThere()) {
                return false;
            }
            register();
        } catch (RuntimeException | LinkageError e) {
            WarningLog.log("-D" + PROPERTY + "=true has no effect", e);
            WatchThread.submit(() -> { }); // says it later, if it can't be said now
        }
        return true;
    }

    /** Registers the MBean, unless it is registered; throws if this runtime lacks the module. */
    public static synchronized void register() {
        if (ModuleLayer.boot().findModule(MODULE).isEmpty()) {
            throw new UnsupportedOperationException("this Java runtime has no module " + MODULE
                    + ", so there is no JMX: add it with jlink --add-modules, or with --add-modules if --limit-modules"
                    + " leaves it out");
        }
        if (name == null) {
            Object registered = LoopsBean.register();
            name = name == null ? registered : name; // the server's start may have opened a loop, and come here
        }
    }

    public static synchronized void unregister() {
        if (name != null) {
            Object registered = name;
            name = null;
            LoopsBean.unregister(registered);
        }
    }
}
