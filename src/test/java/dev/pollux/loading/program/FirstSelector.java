// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading.program;

import java.io.IOException;
import java.nio.channels.Selector;

/** Opens the first selector of a VM, and does nothing else. */
public final class FirstSelector {
    private FirstSelector() {
    }

    /** Prints its class. */
    public static void main(String[] arguments) throws IOException {
        Selector selector = Selector.open();
        System.out.println(selector.getClass().getName());
    }
}
