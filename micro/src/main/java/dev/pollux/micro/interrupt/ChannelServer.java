// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.interrupt;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;

/** What the servers that read and write channels have in common. */
abstract class ChannelServer implements Server {
    private static final int BACKLOG = 1024;

    final Protocol protocol;
    ServerSocketChannel listener;

    ChannelServer(Protocol protocol) {
        this.protocol = protocol;
    }

    @Override
    public final int start() throws IOException {
        return start(0);
    }

    /** Listens at that port of the loopback address, or at a free one, which it returns, and serves for ever. */
    public final int start(int port) throws IOException {
        listener = ServerSocketChannel.open()
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), BACKLOG);
        new Thread(() -> {
            try {
                serve();
            } catch (Throwable failure) {
                failure.printStackTrace();
            }
            System.exit(1);
        }, "server").start();
        return listener.socket().getLocalPort();
    }

    /** Serves for ever. */
    abstract void serve() throws IOException;

    /** {@return room for what one thread reads} */
    static ByteBuffer room() {
        return ByteBuffer.allocateDirect(Protocol.BUFFER);
    }
}
