// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.servers;

import dev.pollux.micro.harness.HeapInUse;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;

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
                case "heap" -> HeapInUse.bytes();
                default -> throw new IllegalArgumentException(line);
            });
        }
        System.exit(0);
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
