// SPDX-License-Identifier: Apache-2.0
package dev.pollux;

import dev.pollux.internal.jdk.Privileged;
import dev.pollux.internal.tell.Jmx;

/**
 * Shows what all selectors, {@link Poller}s and {@code StreamServer}s of this virtual machine do, as an MBean.
 *
 * <p>It is called {@code dev.pollux:type=Loops}. A loop is a selector, a Poller or a thread of a StreamServer. The
 * attribute {@code Loops} is a table of those that are open. A row has the loop's counters and its thread, and says
 * since when it has been busy, with the thread's stack. Other attributes are sums. All are of open types, as those of
 * an MXBean are. Listeners are notified of what loops find wrong. The pages "Monitoring" and "Looking inside" of the
 * documentation have them all.
 *
 * <p>The MBean is there only on request: by a call of {@link #registerMBeans}, by the system property
 * {@code dev.pollux.jmx=true}, which is read when the first loop is opened, or by the agent's argument:
 * {@code -javaagent:pollux.jar=jmx}. Reading it costs the loops nothing. A loop that seems stalled is looked at twice,
 * which takes the reader 100 ms. Safe for use by many threads.
 */
public final class Pollux {
    private Pollux() {
    }

    /**
     * Registers the MBean with the platform's MBean server. If it is registered already, nothing happens. A further
     * copy of Pollux, in another class loader, adds {@code copy=2} to the name, and so on.
     *
     * @throws UnsupportedOperationException if this Java runtime lacks the module {@code java.management}
     * @throws IllegalStateException         if the MBean server refuses
     */
    public static void registerMBeans() {
        Privileged.withoutCaller(() -> {
            Jmx.register();
            return null;
        });
    }

    /**
     * Takes the MBean away, so that a class loader that is thrown away with its application leaves nothing behind. If
     * it is not registered, nothing happens.
     *
     * @throws IllegalStateException if the MBean server refuses
     */
    public static void unregisterMBeans() {
        Privileged.withoutCaller(() -> {
            Jmx.unregister();
            return null;
        });
    }
}
