// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading.program;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;

/** A server as inetd starts it: its standard input is the connection. It sends back what it reads. */
public final class InheritedEcho {

    private InheritedEcho() {
    }

    /** Prints what the channel is, then serves until the peer has said all. */
    public static void main(String[] arguments) {
        try {
            Channel inherited = System.inheritedChannel();
            System.out.println("channel "
                    + (inherited == null ? null : inherited.getClass().getSuperclass().getName()));
            System.out.println("same again " + (inherited == System.inheritedChannel()));
            if (inherited instanceof SocketChannel socket) {
                System.out.println("one identity " + (socket.provider() == SelectorProvider.provider()));
                echo(socket);
            }
        } catch (SecurityException | IOException e) {
            System.out.println("refused " + e.getMessage());
        }
    }

    private static void echo(SocketChannel socket) throws IOException {
        try (socket; Selector selector = Selector.open()) {
            System.out.println("provider " + selector.provider().getClass().getName());
            socket.configureBlocking(false);
            socket.register(selector, SelectionKey.OP_READ);
            ByteBuffer buffer = ByteBuffer.allocate(64);
            while (selector.select(30_000) == 1 && socket.read(buffer) >= 0) {
                selector.selectedKeys().clear();
                socket.write(buffer.flip());
                buffer.clear();
            }
        }
    }
}
