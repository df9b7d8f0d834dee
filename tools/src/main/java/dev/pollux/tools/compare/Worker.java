// SPDX-License-Identifier: Apache-2.0
package dev.pollux.tools.compare;

import dev.pollux.internal.batch.Streams;
import dev.pollux.internal.jdk.Allocation;
import dev.pollux.internal.jdk.SocketCalls;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.channels.Selector;
import java.nio.charset.StandardCharsets;

/**
 * The program that measures, in a virtual machine of its own whose provider is the JDK's or ours: so each is compiled
 * as in a server that knows no other. It first prints the class of its selectors and the number of keys that it could
 * make ready, then whose native methods its sockets use, and whether it makes batches. Then it reads lines with the
 * name of a case and a time in milliseconds, and prints the nanoseconds and bytes of one operation; -1 where bytes
 * can't be counted.
 */
final class Worker {
    private static final int BATCH = 16;

    private final Allocation allocation = Allocation.ofCurrentThread();

    private Worker() {
    }

    /** Measures what it is asked for, until its standard input ends. Takes no arguments. */
    public static void main(String[] arguments) throws IOException {
        try (Selector selector = Selector.open(); Cases cases = new Cases()) {
            System.out.println(selector.getClass().getName() + ' ' + cases.maxReady());
            System.out.println(SocketCalls.outcome());
            System.out.println(Streams.outcome());
            Worker worker = new Worker();
            BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
            for (String command = commands.readLine(); command != null; command = commands.readLine()) {
                String[] parts = command.split(" ");
                System.out.println(worker.measure(cases.named(parts[0]), Long.parseLong(parts[1]) * 1_000_000));
            }
        }
        System.exit(0); // the echoing thread still waits
    }

    private String measure(Cases.Case operation, long nanos) throws IOException {
        operation.run(); // what it does only once
        long operations = 0;
        long bytes = allocated();
        long start = System.nanoTime();
        long now = start;
        while (now - start < nanos) {
            for (int i = 0; i < BATCH; i++) {
                operation.run();
            }
            operations += BATCH;
            now = System.nanoTime();
        }
        bytes = allocated() - bytes;
        return (double) (now - start) / operations + " " + (allocation == null ? -1 : (double) bytes / operations);
    }

    private long allocated() {
        return allocation == null ? 0 : allocation.bytes();
    }
}
