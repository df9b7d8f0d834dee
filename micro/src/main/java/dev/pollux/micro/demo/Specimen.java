// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.demo;

import com.sun.management.ThreadMXBean;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/**
 * A virtual machine that shows what one kind of selector does. It answers each line on standard input: {@code
 * garbage} with the bytes that a selection with one ready key allocates, and {@code serve} with the port of an echo
 * server, which has a fault: once it has answered it leaves the interest in writing on, so that its loop spins.
 */
final class Specimen {
    private static final int WARM_UP = 20_000;
    private static final int SELECTIONS = 20_000;

    private Specimen() {
    }

    public static void main(String[] args) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line; (line = in.readLine()) != null; ) {
            switch (line) {
                case "garbage" -> System.out.println(garbage());
                case "serve" -> System.out.println(serve());
                default -> throw new IllegalArgumentException(line);
            }
        }
        System.exit(0);
    }

    private static long garbage() throws IOException {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long thread = Thread.currentThread().getId();
        Pipe pipe = Pipe.open();
        try (Selector selector = Selector.open()) {
            pipe.source().configureBlocking(false).register(selector, SelectionKey.OP_READ);
            select(selector, pipe, WARM_UP);
            long before = threads.getThreadAllocatedBytes(thread);
            select(selector, pipe, SELECTIONS);
            return (threads.getThreadAllocatedBytes(thread) - before) / SELECTIONS;
        } finally {
            pipe.source().close();
            pipe.sink().close();
        }
    }

    private static void select(Selector selector, Pipe pipe, int times) throws IOException {
        ByteBuffer one = ByteBuffer.allocateDirect(1);
        for (int i = 0; i < times; i++) {
            pipe.sink().write(one.clear());
            selector.select();
            selector.selectedKeys().clear();
            pipe.source().read(one.clear());
        }
    }

    private static int serve() throws IOException {
        ServerSocketChannel listener = ServerSocketChannel.open()
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        Selector selector = Selector.open();
        listener.configureBlocking(false).register(selector, SelectionKey.OP_ACCEPT);
        Thread loop = new Thread(() -> serve(selector, listener), "event loop");
        loop.setDaemon(true);
        loop.start();
        return listener.socket().getLocalPort();
    }

    private static void serve(Selector selector, ServerSocketChannel listener) {
        ByteBuffer bytes = ByteBuffer.allocateDirect(1024);
        try {
            while (true) {
                selector.select(key -> handle(key, listener, bytes));
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void handle(SelectionKey key, ServerSocketChannel listener, ByteBuffer bytes) {
        try {
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
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
