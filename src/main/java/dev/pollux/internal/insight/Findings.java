// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.insight;

import java.util.Set;
import java.util.concurrent.CopyOnWriteArraySet;

/**
 * Tells listeners what loops find wrong. The MBean is one if it has had a listener of its own. Loaded with the MBean.
 *
 * <p>Safe for use by many threads.
 */
final class Findings {
    private static final Set<Listener> LISTENERS = new CopyOnWriteArraySet<>();

    /** What is found; each is a type of notification. */
    enum Kind {
        SPIN("spin", "A key was found that makes a selector spin"),
        WAKEUP_STORM("wakeupStorm", "A selector is woken again and again for nothing"),
        BLOCKED("blocked", "A loop does not return to its wait, though there are events"),
        REFUSED_REGISTRATION("refusedRegistration", "The mechanism has refused a channel");

        private final String word;
        private final String description;

        Kind(String word, String description) {
            this.word = word;
            this.description = description;
        }

        /** {@return {@code dev.pollux.spin} and the like} */
        String type() {
            return "dev.pollux." + word;
        }

        String description() {
            return description;
        }
    }

    /** Is called by the loop's thread, which holds locks, so it must return soon. */
    @FunctionalInterface
    interface Listener {
        void onFinding(Kind kind, long loop, String message);
    }

    private Findings() {
    }

    static synchronized void listen(Listener listener) {
        LISTENERS.add(listener);
        LoopStatistics.setHeard(true);
    }

    static synchronized void ignore(Listener listener) {
        LISTENERS.remove(listener);
        LoopStatistics.setHeard(!LISTENERS.isEmpty());
    }

    /** What goes wrong here is not the loop's affair: it goes on, and the listener loses a message. */
    static void tell(Kind kind, long loop, Object message) {
        try {
            for (Listener listener : LISTENERS) {
                listener.onFinding(kind, loop, message.toString());
            }
        } catch (RuntimeException | Error e) {
            return;
        }
    }
}
