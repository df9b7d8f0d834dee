// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.apps.server;

import dev.pollux.micro.interrupt.Protocol;
import dev.pollux.micro.interrupt.SelectorServer;
import java.io.IOException;

/** One thread with one selector, and no framework. It answers a body of 1 KiB, whatever {@link Hello#BODY} is. */
final class NioApplication implements Application {
    private final boolean asksToWrite;

    NioApplication(boolean asksToWrite) {
        this.asksToWrite = asksToWrite;
    }

    @Override
    public void start(int port) throws IOException {
        (asksToWrite ? SelectorServer.askingToWrite(Protocol.HTTP) : new SelectorServer(Protocol.HTTP)).start(port);
    }

    @Override
    public String version() {
        return Runtime.version().toString();
    }
}
