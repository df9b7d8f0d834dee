// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading.program;

import java.io.IOException;
import java.nio.channels.Selector;

/** Opens its first selector in a thread that has been interrupted. */
public final class InterruptedStart {

    private InterruptedStart() {
    }

    /** Prints whether the selector opened and whether the interrupt is still there. */
    public static void main(String[] arguments) throws IOException {
        Thread.currentThread().interrupt();
        try (Selector selector = Selector.open()) {
            System.out.println("provider " + selector.provider().getClass().getName());
            System.out.println("interrupted " + Thread.currentThread().isInterrupted());
        }
    }
}
