// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading.program;

import dev.pollux.Pollux;

/** Asks Pollux for its MBeans, and prints what comes of it. */
public final class RegisterMBeans {
    private RegisterMBeans() {
    }

    /** Asks twice. */
    public static void main(String[] arguments) {
        for (int i = 0; i < 2; i++) {
            try {
                Pollux.registerMBeans();
                System.out.println("registered");
            } catch (UnsupportedOperationException e) {
                System.out.println(e.getMessage());
            }
        }
        Pollux.unregisterMBeans();
    }
}
