// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading.program;

import java.nio.channels.spi.SelectorProvider;

/** An agent that makes the VM choose its provider before anybody else can have a say. */
public final class EarlyAgent {

    private EarlyAgent() {
    }

    /** Asks for the provider. */
    public static void premain(String arguments) {
        System.out.println("early " + SelectorProvider.provider().getClass().getName());
    }
}
