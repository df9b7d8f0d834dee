// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading.program;

import java.io.FileInputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Scanner;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;

/**
 * A server that knows nothing of Pollux: one thread, {@code echo}, with one client that asks all the time. Another
 * thread, {@code temporary}, keeps a selector that it has used once, as servers do for calls that block. Says
 * {@code serving} when a byte has been served. Each line of its input is answered by one: {@code fill 3} by
 * {@code full}, when all descriptors but 3 are used; others by the names of all threads.
 */
public final class BusyServer {

    private static final Deque<FileInputStream> LEAKED = new ArrayDeque<>();

    private BusyServer() {
    }

    public static void main(String[] arguments) throws IOException, InterruptedException {
        ServerSocketChannel server = ServerSocketChannel.open();
        server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        server.configureBlocking(false);
        Selector selector = Selector.open();
        server.register(selector, SelectionKey.OP_ACCEPT);
        start("echo", () -> serve(selector, server));
        Socket client = new Socket(InetAddress.getLoopbackAddress(), server.socket().getLocalPort());
        ping(client);
        start("client", () -> {
            while (true) {
                ping(client);
                Thread.sleep(5);
            }
        });
        CountDownLatch used = new CountDownLatch(1);
        start("temporary", () -> useOnce(used));
        used.await();
        System.out.println("serving");
        Scanner lines = new Scanner(System.in, "UTF-8");
        while (lines.hasNextLine()) {
            System.out.println(answerTo(lines.nextLine()));
        }
    }

    private static String answerTo(String line) throws IOException {
        if (line.startsWith("fill ")) {
            fill(Integer.parseInt(line.substring("fill ".length())));
            return "full";
        }
        TreeSet<String> threads = new TreeSet<>();
        Thread.getAllStackTraces().keySet().forEach(thread -> threads.add(thread.getName()));
        return String.join(",", threads);
    }

    /** Uses all descriptors but this number, for good. */
    private static void fill(int left) throws IOException {
        Deque<FileInputStream> held = new ArrayDeque<>();
        try {
            while (true) {
                held.push(new FileInputStream("/dev/null"));
            }
        } catch (FileNotFoundException full) {
            for (int i = 0; i < left; i++) {
                held.pop().close();
            }
        }
        LEAKED.addAll(held);
    }

    private static void serve(Selector selector, ServerSocketChannel server) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(16);
        while (true) {
            selector.select();
            for (SelectionKey key : selector.selectedKeys()) {
                if (key.isAcceptable()) {
                    SocketChannel client = server.accept();
                    client.configureBlocking(false);
                    client.register(selector, SelectionKey.OP_READ);
                } else {
                    SocketChannel client = (SocketChannel) key.channel();
                    client.read(buffer.clear());
                    client.write(buffer.flip());
                }
            }
            selector.selectedKeys().clear();
        }
    }

    private static void useOnce(CountDownLatch used) throws IOException {
        Pipe pipe = Pipe.open();
        pipe.source().configureBlocking(false);
        Selector selector = Selector.open();
        SelectionKey key = pipe.source().register(selector, SelectionKey.OP_READ);
        selector.select(10);
        key.cancel();
        selector.selectNow();
        used.countDown();
        while (true) {
            LockSupport.park();
        }
    }

    private static void ping(Socket client) throws IOException {
        client.getOutputStream().write(1);
        client.getInputStream().read();
    }

    private interface Work {
        void run() throws Exception;
    }

    private static void start(String name, Work work) {
        Thread thread = new Thread(() -> {
            try {
                work.run();
            } catch (Exception e) {
                e.printStackTrace();
            }
        }, name);
        thread.setDaemon(true);
        thread.start();
    }
}
