// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.interrupt;

import dev.pollux.InterruptServer;
import dev.pollux.micro.cache.CacheServers;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/** The page cache on an Interruptlet, with either slow path. */
final class CacheServer implements Server {
    private final String mechanism;
    private final boolean handsOver;
    private InterruptServer server;

    CacheServer(String mechanism, boolean handsOver) {
        this.mechanism = mechanism;
        this.handsOver = handsOver;
    }

    @Override
    public int start() throws IOException {
        InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        server = handsOver ? CacheServers.handingOver(address, mechanism) : CacheServers.deferring(address, mechanism);
        return ((InetSocketAddress) server.address()).getPort();
    }

    @Override
    public String engine() {
        return server.mechanism();
    }
}
