// SPDX-License-Identifier: Apache-2.0
package dev.pollux.lab;

import dev.pollux.server.StreamServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/** An application that opens a server and closes it: its package is none of Pollux's own. */
public final class ServerOpener {
    private ServerOpener() {
    }

    public static void openAndClose() throws IOException {
        StreamServer.at(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                () -> (data, exchange) -> exchange.awaitMore()).start().close();
    }
}
