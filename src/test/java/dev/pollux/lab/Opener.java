// SPDX-License-Identifier: Apache-2.0
package dev.pollux.lab;

import dev.pollux.Poller;
import java.io.IOException;
import java.nio.channels.spi.SelectorProvider;

/** An application that opens loops and closes them: its package is none of Pollux's own. */
public final class Opener {
    private Opener() {
    }

    public static void openAndClose(SelectorProvider provider) throws IOException {
        provider.openSelector().close();
    }

    public static void openAndClosePoller() throws IOException {
        new Poller().close();
    }
}
