// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.servers;

import dev.pollux.micro.apps.server.Application;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;

/** What the servers that read and write channels have in common. */
abstract class ChannelServer implements Application {
    static final int BACKLOG = 1024;

    final Protocol protocol;
    ServerSocketChannel listener;

    ChannelServer(Protocol protocol) {
        this.protocol = protocol;
    }

    @Override
    public final void start(int port) throws IOException {
        listener = ServerSocketChannel.open()
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), BACKLOG);
        serve();
    }

    /** Serves for ever. */
    abstract void serve() throws IOException;

    /** {@return room for what one thread reads} */
    static ByteBuffer room() {
        return ByteBuffer.allocateDirect(Protocol.BUFFER);
    }
}
