// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.servers;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryType;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The server's virtual machine. Arguments: a {@link Kind}, its workers, the bytes of a request and of a reply. Lines on
 * standard input, each answered by one: {@code port}, {@code engine}, and {@code heap}, the bytes that are in use after
 * a collection. Any failure of the server ends it.
 */
final class ServerMain {
    private static final int BACKLOG = 1024;

    private ServerMain() {
    }

    public static void main(String[] args) throws IOException {
        Sizes sizes = new Sizes(Integer.parseInt(args[2]), Integer.parseInt(args[3]));
        Server server = Kind.valueOf(args[0]).server(sizes, Integer.parseInt(args[1]));
        ServerSocketChannel listener = start(server, new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        BufferedReader questions = new BufferedReader(new InputStreamReader(System.in));
        for (String line; (line = questions.readLine()) != null; ) {
            System.out.println(switch (line) {
                case "port" -> listener.socket().getLocalPort();
                case "engine" -> server.engine();
                case "heap" -> heap();
                default -> throw new IllegalArgumentException(line);
            });
        }
        System.exit(0);
    }

    /** Twice: what a first collection finds unreachable may have a cleaner, and goes with the second. */
    private static long heap() {
        System.gc();
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
        System.gc();
        // As the collector left it: what is in use now includes the buffers that threads have been given since.
        return ManagementFactory.getMemoryPoolMXBeans().stream().filter(pool -> pool.getType() == MemoryType.HEAP)
                .mapToLong(pool -> pool.getCollectionUsage().getUsed()).sum();
    }

    /** Starts a server at an address. */
    static ServerSocketChannel start(Server server, InetSocketAddress address) throws IOException {
        ServerSocketChannel listener = ServerSocketChannel.open().bind(address, BACKLOG);
        start("server", () -> server.serve(listener));
        return listener;
    }

    /** What a thread does for ever. */
    interface Endless {
        void run() throws Exception;
    }

    /** Starts a thread whose end is the end of the virtual machine. */
    static void start(String name, Endless work) {
        new Thread(() -> {
            try {
                work.run();
            } catch (Throwable failure) {
                failure.printStackTrace();
            }
            System.exit(1);
        }, name).start();
    }
}
