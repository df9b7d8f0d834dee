// SPDX-License-Identifier: Apache-2.0
package dev.pollux.selector;

import static java.nio.channels.SelectionKey.OP_CONNECT;
import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Iterator;

/** A little event loop: the connecting side sends, the accepting side sends everything back. */
final class EchoLoop {

    private final Selector selector;
    private final Lab lab;
    private final ByteBuffer buffer = ByteBuffer.allocate(8192);
    private long sent;
    private long received;
    private long total;

    EchoLoop(Selector selector, Lab lab) {
        this.selector = selector;
        this.lab = lab;
    }

    /** Runs until so many bytes came back, and returns how many did. */
    long run(long bytes) throws IOException {
        total = bytes;
        while (received < bytes) {
            selector.select();
            for (Iterator<SelectionKey> i = selector.selectedKeys().iterator(); i.hasNext();) {
                SelectionKey key = i.next();
                i.remove();
                handle(key);
            }
        }
        return received;
    }

    private void handle(SelectionKey key) throws IOException {
        if (key.isAcceptable()) {
            SocketChannel accepted = lab.opened(((ServerSocketChannel) key.channel()).accept());
            accepted.configureBlocking(false).register(selector, OP_READ, "echo");
        } else if (key.isConnectable() && ((SocketChannel) key.channel()).finishConnect()) {
            key.interestOps(OP_READ | OP_WRITE);
        } else if (key.attachment() != null) {
            echo((SocketChannel) key.channel());
        } else {
            exchange(key);
        }
    }

    private void echo(SocketChannel channel) throws IOException {
        channel.read(buffer.clear());
        buffer.flip();
        while (buffer.hasRemaining()) {
            channel.write(buffer);
        }
    }

    private void exchange(SelectionKey key) throws IOException {
        SocketChannel channel = (SocketChannel) key.channel();
        if (key.isReadable()) {
            received += channel.read(buffer.clear());
        }
        if (key.isWritable()) {
            buffer.clear().limit((int) Math.min(buffer.capacity(), total - sent));
            sent += channel.write(buffer);
            key.interestOps(sent == total ? OP_READ : OP_READ | OP_WRITE | (key.interestOps() & OP_CONNECT));
        }
    }
}
