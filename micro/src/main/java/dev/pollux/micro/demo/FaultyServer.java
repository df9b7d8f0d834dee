// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.demo;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/**
 * An echo server with a fault: once it has answered it leaves the interest in writing on, so that its loop spins. It
 * prints its port once there is something on standard input.
 */
final class FaultyServer {
    private FaultyServer() {
    }

    public static void main(String[] args) throws IOException {
        Thread.currentThread().setName("event loop");
        ServerSocketChannel listener = ServerSocketChannel.open()
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        Selector selector = Selector.open();
        listener.configureBlocking(false).register(selector, SelectionKey.OP_ACCEPT);
        System.in.read();
        System.out.println(listener.socket().getLocalPort());
        ByteBuffer bytes = ByteBuffer.allocateDirect(1024);
        while (true) {
            selector.select();
            for (SelectionKey key : selector.selectedKeys()) {
                handle(key, listener, bytes);
            }
            selector.selectedKeys().clear();
        }
    }

    private static void handle(SelectionKey key, ServerSocketChannel listener, ByteBuffer bytes) throws IOException {
        if (key.isAcceptable()) {
            listener.accept().configureBlocking(false).register(key.selector(), SelectionKey.OP_READ);
        } else if (key.isReadable()) {
            SocketChannel channel = (SocketChannel) key.channel();
            if (channel.read(bytes.clear()) < 0) {
                channel.close();
                return;
            }
            channel.write(bytes.flip());
            key.interestOps(SelectionKey.OP_READ | SelectionKey.OP_WRITE); // the fault: nothing is left to write
        }
    }
}
