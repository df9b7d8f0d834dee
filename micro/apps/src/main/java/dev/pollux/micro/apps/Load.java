// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.apps;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;

/**
 * The client's virtual machine: keeps connections busy, one request outstanding on each, and checks every response.
 * One thread, on the JDK's selector whatever the server uses. Lines on standard input, each answered by one:
 * {@code open <port> <connections>}, {@code run <requests>} with nanoseconds, p50 and p99, and {@code close}.
 * A failure ends it.
 */
final class Load {
    private static final int PATIENCE_MILLIS = 30_000;

    private final Selector selector = Selector.open();
    private final List<Connection> connections = new ArrayList<>();
    private final Histogram latencies = new Histogram(3);
    private int unsent;
    private int unanswered;

    private Load() throws IOException {
    }

    public static void main(String[] args) throws IOException {
        Load load = new Load();
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line; (line = in.readLine()) != null; ) {
            String[] words = line.split(" ");
            switch (words[0]) {
                case "open" -> System.out.println(load.open(Integer.parseInt(words[1]), Integer.parseInt(words[2])));
                case "run" -> System.out.println(load.run(Integer.parseInt(words[1])));
                case "close" -> System.out.println(load.close());
                default -> throw new IllegalArgumentException(line);
            }
        }
    }

    /** Connects, and lets the server accept all connections before it answers. */
    private String open(int port, int count) throws IOException {
        for (int i = 0; i < count; i++) {
            connections.add(new Connection(port, selector));
        }
        run(4 * count);
        return "open";
    }

    private String run(int requests) throws IOException {
        latencies.reset();
        unsent = requests;
        unanswered = requests;
        long start = System.nanoTime();
        for (Connection connection : connections) {
            sendOn(connection);
        }
        while (unanswered > 0) {
            if (selector.select(this::receive, PATIENCE_MILLIS) == 0) {
                throw new IOException(unanswered + " requests unanswered after " + PATIENCE_MILLIS + " ms");
            }
        }
        return System.nanoTime() - start + " " + latencies.getValueAtPercentile(50) + " " + latencies.getValueAtPercentile(99);
    }

    private void sendOn(Connection connection) {
        try {
            if (unsent > 0) {
                unsent--;
                connection.send();
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private void receive(SelectionKey key) {
        Connection connection = (Connection) key.attachment();
        try {
            long took = connection.receive();
            if (took >= 0) {
                latencies.recordValue(took);
                unanswered--;
                sendOn(connection);
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private String close() throws IOException {
        for (Connection connection : connections) {
            connection.close();
        }
        connections.clear();
        selector.selectNow();
        return "closed";
    }
}
