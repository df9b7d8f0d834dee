// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading.program;

import java.nio.channels.Selector;
import java.util.Set;

/** An application whose selectors come and go: after each, what looks at all of them has ended, and begins again. */
public final class WaitTwice {
    private static final String WATCH = "Pollux-watch";

    private WaitTwice() {
    }

    /** Runs the application. */
    public static void main(String[] arguments) throws Exception {
        for (int i = 0; i < 2; i++) {
            try (Selector selector = Selector.open()) {
                selector.select(1);
                selector.select(1);
            }
            for (Thread thread : Set.copyOf(Thread.getAllStackTraces().keySet())) {
                if (thread.getName().equals(WATCH)) {
                    thread.join();
                }
            }
        }
        System.out.println("over");
    }
}
