// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.interrupt;

import dev.pollux.micro.harness.Allocation;
import dev.pollux.micro.harness.HeapInUse;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;

/**
 * The server's virtual machine. Arguments: a {@link Way} and a {@link Protocol}. Lines on standard input, each answered
 * by one: {@code port}, {@code engine}, {@code heap} (bytes in use after a collection), {@code bytes} (allocated since
 * the last question, and how many threads ended meanwhile).
 */
final class ServerMain {
    private ServerMain() {
    }

    public static void main(String[] args) throws IOException {
        Server server = Way.valueOf(args[0]).server(Protocol.valueOf(args[1]));
        Allocation allocation = new Allocation();
        int port = server.start();
        BufferedReader questions = new BufferedReader(new InputStreamReader(System.in));
        for (String line; (line = questions.readLine()) != null; ) {
            System.out.println(switch (line) {
                case "port" -> port;
                case "engine" -> server.engine();
                case "heap" -> HeapInUse.bytes();
                case "bytes" -> allocation.sinceLast();
                default -> throw new IllegalArgumentException(line);
            });
        }
        System.exit(0);
    }
}
