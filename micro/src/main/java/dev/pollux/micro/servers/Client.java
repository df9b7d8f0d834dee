// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.servers;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.HdrHistogram.Histogram;

/**
 * The client: one thread with many connections, some of which have a request outstanding, on the JDK's selector
 * whatever the server uses. In a virtual machine of its own the arguments are the bytes of a request and of a reply;
 * lines on standard input are each answered by one: {@code open <port> <connections>}, {@code run <requests>
 * <outstanding> <seed>} with nanoseconds, p50 and p99, and {@code close}. A failure ends it.
 */
final class Client {
    private static final int PATIENCE_MILLIS = 30_000;

    /** Opened at once; not more than a listener's backlog. */
    private static final int CHUNK = 100;

    private final Sizes sizes;
    private final Selector selector = Selector.open();
    private final Consumer<SelectionKey> receiver = this::receive;
    private final List<Caller> callers = new ArrayList<>();
    private final Histogram latencies = new Histogram(TimeUnit.MINUTES.toNanos(1), 3);
    private SplittableRandom random;
    private int unsent;
    private int unanswered;

    Client(Sizes sizes) throws IOException {
        this.sizes = sizes;
    }

    public static void main(String[] args) throws IOException {
        Client client = new Client(new Sizes(Integer.parseInt(args[0]), Integer.parseInt(args[1])));
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line; (line = in.readLine()) != null; ) {
            String[] words = line.split(" ");
            System.out.println(switch (words[0]) {
                case "open" -> client.open(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(words[1])),
                        Integer.parseInt(words[2]));
                case "run" -> client.run(
                        Integer.parseInt(words[1]), Integer.parseInt(words[2]), Long.parseLong(words[3]));
                case "close" -> client.close();
                default -> throw new IllegalArgumentException(line);
            });
        }
    }

    /**
     * Connects; each connection has its first request answered, which is sent in two pieces, other ones' between them.
     */
    String open(InetSocketAddress server, int count) throws IOException {
        while (callers.size() < count) {
            int from = callers.size();
            while (callers.size() < Math.min(count, from + CHUNK)) {
                callers.add(new Caller(server, selector, sizes));
            }
            List<Caller> fresh = callers.subList(from, callers.size());
            for (Caller caller : fresh) {
                caller.sendHalf();
            }
            for (Caller caller : fresh) {
                caller.sendRest();
            }
            unsent = 0;
            receiveAll(fresh.size());
        }
        return "open";
    }

    /** Each reply is followed by a request on a connection that chance chooses, among those without one. */
    String run(int requests, int outstanding, long seed) throws IOException {
        random = new SplittableRandom(seed);
        unsent = requests;
        long start = System.nanoTime();
        for (int i = 0; i < outstanding; i++) {
            send();
        }
        receiveAll(requests);
        return System.nanoTime() - start + " " + latencies.getValueAtPercentile(50)
                + " " + latencies.getValueAtPercentile(99);
    }

    private void send() throws IOException {
        if (unsent > 0) {
            unsent--;
            Caller caller;
            do {
                caller = callers.get(random.nextInt(callers.size()));
            } while (caller.isBusy());
            caller.send();
        }
    }

    private void receiveAll(int replies) throws IOException {
        latencies.reset();
        unanswered = replies;
        while (unanswered > 0) {
            if (selector.select(receiver, PATIENCE_MILLIS) == 0) {
                throw new IOException(unanswered + " requests unanswered after " + PATIENCE_MILLIS + " ms");
            }
        }
    }

    private void receive(SelectionKey key) {
        try {
            long took = ((Caller) key.attachment()).receive();
            if (took >= 0) {
                latencies.recordValue(took);
                unanswered--;
                send();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    String close() throws IOException {
        for (Caller caller : callers) {
            caller.close();
        }
        callers.clear();
        selector.selectNow();
        return "closed";
    }
}
