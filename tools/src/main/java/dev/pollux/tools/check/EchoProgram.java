// SPDX-License-Identifier: Apache-2.0
package dev.pollux.tools.check;

import dev.pollux.tools.common.Bench;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;

/** A program whose standard input is a connection: it sends back what it reads, until the end of the stream. */
final class EchoProgram {
    private EchoProgram() {
    }

    public static void main(String[] arguments) throws IOException {
        try (SocketChannel channel = (SocketChannel) System.inheritedChannel(); Selector selector = Selector.open()) {
            channel.configureBlocking(false);
            channel.register(selector, SelectionKey.OP_READ);
            ByteBuffer buffer = ByteBuffer.allocate(4096);
            while (selector.select(Bench.MAX_WAIT_MILLIS) == 1 && channel.read(buffer.clear()) >= 0) {
                selector.selectedKeys().clear();
                channel.write(buffer.flip());
            }
        }
    }
}
