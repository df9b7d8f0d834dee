// SPDX-License-Identifier: Apache-2.0

import dev.pollux.server.StreamServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/** Says what a {@link StreamServer} runs on where this runs. */
public final class Interrupts {

    private Interrupts() {
    }

    /** Opens a server, and closes it. */
    public static void main(String[] arguments) throws IOException {
        InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        try (StreamServer server = StreamServer.at(address, () -> (data, exchange) -> { }).start()) {
            System.out.println(server);
        }
    }
}
