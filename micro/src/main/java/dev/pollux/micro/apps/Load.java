// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.apps;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;

/**
 * The client's virtual machine: keeps connections busy, one request outstanding on each, and checks every response.
 * On the JDK's selector whatever the server uses. Lines on standard input, each answered by one:
 * {@code open <port> <connections>}, {@code run <requests>} and {@code pace <requests> <per second>}, both with
 * nanoseconds, p50 and p99, and {@code close}. A failure ends it.
 *
 * <p>In a run one thread sends the next request as soon as a response is complete. In a paced run another thread sends
 * at fixed times, on the connection that has been idle for longest.
 */
final class Load {
    private static final int PATIENCE_MILLIS = 30_000;

    private final Selector selector = Selector.open();
    private final List<Connection> connections = new ArrayList<>();
    private final Histogram latencies = new Histogram(3);

    /** Those without a request, in a paced run. */
    private final BlockingQueue<Connection> idle = new LinkedBlockingQueue<>();
    private boolean paced;
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
                case "pace" -> System.out.println(load.pace(Integer.parseInt(words[1]), Integer.parseInt(words[2])));
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
        paced = false;
        unsent = requests;
        long start = System.nanoTime();
        for (Connection connection : connections) {
            sendOn(connection);
        }
        receiveAll(requests);
        return report(start);
    }

    private String pace(int requests, int perSecond) throws IOException {
        paced = true;
        idle.clear();
        idle.addAll(connections);
        long start = System.nanoTime();
        Thread sender = new Thread(() -> sendAll(requests, start, TimeUnit.SECONDS.toNanos(1) / perSecond), "sender");
        sender.setDaemon(true);
        sender.start();
        receiveAll(requests);
        return report(start);
    }

    private void sendAll(int requests, long start, long interval) {
        try {
            for (int i = 0; i < requests; i++) {
                for (long early; (early = start + i * interval - System.nanoTime()) > 0; ) {
                    LockSupport.parkNanos(early);
                }
                idle.take().send();
            }
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private void receiveAll(int requests) throws IOException {
        latencies.reset();
        unanswered = requests;
        while (unanswered > 0) {
            if (selector.select(this::receive, PATIENCE_MILLIS) == 0) {
                throw new IOException(unanswered + " requests unanswered after " + PATIENCE_MILLIS + " ms");
            }
        }
    }

    private String report(long start) {
        return System.nanoTime() - start + " " + latencies.getValueAtPercentile(50) + " "
                + latencies.getValueAtPercentile(99);
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
                if (paced) {
                    idle.add(connection);
                } else {
                    sendOn(connection);
                }
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
