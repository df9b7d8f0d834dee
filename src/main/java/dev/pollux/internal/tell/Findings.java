// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.tell;

import dev.pollux.internal.count.Unexpected;
import dev.pollux.internal.verdict.Verdict;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArraySet;

/**
 * Tells listeners what was found. The MBean is one if it has had a listener of its own.
 *
 * <p>Safe for use by many threads.
 */
final class Findings {
    private static final Set<Listener> LISTENERS = new CopyOnWriteArraySet<>();

    /** Must return soon. */
    @FunctionalInterface
    interface Listener {
        void onFinding(Verdict.Kind kind, long loop, String message);
    }

    private Findings() {
    }

    static synchronized void listen(Listener listener) {
        LISTENERS.add(listener);
        Insight.setHeard(true);
    }

    static synchronized void ignore(Listener listener) {
        LISTENERS.remove(listener);
        Insight.setHeard(!LISTENERS.isEmpty());
    }

    /** What goes wrong here costs the listener a message, and nothing else. */
    static void tell(Verdict.Kind kind, long loop, Object message) {
        for (Listener listener : LISTENERS) {
            try {
                listener.onFinding(kind, loop, message.toString());
            } catch (RuntimeException | Error e) {
                Unexpected.caught("a notification", e);
            }
        }
    }
}
