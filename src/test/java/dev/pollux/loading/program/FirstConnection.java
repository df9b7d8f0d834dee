// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading.program;

import java.io.FileInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.Iterator;

/**
 * Opens the first selector of a VM, and has it accept and answer one connection. Prints how many nanoseconds passed
 * until the selector was open and until the answer had arrived, and how many of all these this thread ran.
 */
public final class FirstConnection {
    private FirstConnection() {
    }

    public static void main(String[] arguments) throws IOException {
        ran(); // what it loads is not ours
        long ranBefore = ran();
        long before = System.nanoTime();
        Selector selector = SelectorProvider.provider().openSelector();
        long opened = System.nanoTime();
        answerOne(selector);
        long answered = System.nanoTime();
        long ranAfter = ran();
        // No concatenation: javac makes a call of it that loads a hundred classes.
        System.out.print(opened - before);
        System.out.print(' ');
        System.out.print(answered - before);
        System.out.print(' ');
        System.out.print(ranAfter - ranBefore);
        System.out.print(' ');
        System.out.println(selector.getClass().getName());
    }

    /** The client is in the same thread, so that nothing depends on when which thread runs. */
    private static void answerOne(Selector selector) throws IOException {
        ServerSocketChannel server = ServerSocketChannel.open();
        server.bind(new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), 0));
        server.configureBlocking(false);
        server.register(selector, SelectionKey.OP_ACCEPT);
        SocketChannel client = SocketChannel.open(server.getLocalAddress());
        client.write(ByteBuffer.wrap(new byte[] {1}));
        ByteBuffer buffer = ByteBuffer.allocate(1);
        while (buffer.hasRemaining()) {
            selector.select();
            for (Iterator<SelectionKey> keys = selector.selectedKeys().iterator(); keys.hasNext();) {
                serve(selector, keys.next(), buffer);
                keys.remove();
            }
        }
        client.read(buffer.clear());
    }

    private static void serve(Selector selector, SelectionKey key, ByteBuffer buffer) throws IOException {
        if (key.isAcceptable()) {
            SocketChannel accepted = ((ServerSocketChannel) key.channel()).accept();
            accepted.configureBlocking(false);
            accepted.register(selector, SelectionKey.OP_READ);
        } else if (((SocketChannel) key.channel()).read(buffer) > 0) {
            ((SocketChannel) key.channel()).write(buffer.flip());
        }
    }

    /** The first number in schedstat: see proc(5), and Documentation/scheduler/sched-stats.rst of the kernel. */
    private static long ran() throws IOException {
        try (FileInputStream in = new FileInputStream("/proc/thread-self/schedstat")) {
            long ran = 0;
            for (int digit = in.read(); digit >= '0'; digit = in.read()) {
                ran = ran * 10 + digit - '0';
            }
            return ran;
        }
    }
}
