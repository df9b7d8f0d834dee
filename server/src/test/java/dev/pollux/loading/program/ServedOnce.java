// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading.program;

import dev.pollux.server.StreamServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** Starts a server, and asks it once. */
public final class ServedOnce {
    private ServedOnce() {
    }

    public static void main(String[] arguments) throws IOException {
        serve();
    }

    static void serve() throws IOException {
        try (StreamServer server = StreamServer.at(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                () -> (data, exchange) -> {
                    exchange.send(data);
                    data.position(data.limit());
                }).start(); SocketChannel client = SocketChannel.open(server.address())) {
            ByteBuffer bytes = ByteBuffer.allocate(5);
            client.write(bytes);
            for (bytes.clear(); bytes.hasRemaining();) {
                client.read(bytes);
            }
            System.out.println("echoed " + bytes.position());
        }
    }
}
