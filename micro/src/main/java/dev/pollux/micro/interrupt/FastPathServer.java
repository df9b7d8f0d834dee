// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.interrupt;

import dev.pollux.InterruptServer;
import dev.pollux.Interruptlet;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

/** An Interruptlet that answers every request. */
final class FastPathServer implements Server {
    private static final int MOST_CONNECTIONS = 10_000;

    private final Protocol protocol;
    private final String mechanism;
    private final boolean copies;
    private InterruptServer server;

    /** Made when the server runs. */
    private volatile ByteBuffer page;

    FastPathServer(Protocol protocol, String mechanism, boolean copies) {
        this.protocol = protocol;
        this.mechanism = mechanism;
        this.copies = copies;
    }

    @Override
    public int start() throws IOException {
        Interruptlet echo = (data, from) -> data.position(data.limit());
        Interruptlet http = (data, from) -> {
            int end = Protocol.endOfRequest(data);
            if (end < 0) {
                return Interruptlet.MORE;
            }
            data.position(end);
            return page;
        };
        server = InterruptServer.at(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                () -> protocol == Protocol.ECHO ? echo : http)
                .maxConnections(MOST_CONNECTIONS).mechanism(mechanism).start();
        page = copies ? protocol.page() : server.resident(protocol.page());
        return ((InetSocketAddress) server.address()).getPort();
    }

    @Override
    public String engine() {
        return server.mechanism();
    }
}
