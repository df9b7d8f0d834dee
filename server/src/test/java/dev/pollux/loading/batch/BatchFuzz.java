// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading.batch;

import dev.pollux.Poller;
import dev.pollux.server.ConnectionHandler;
import dev.pollux.server.Exchange;
import dev.pollux.server.StreamServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;
import java.util.zip.CRC32;

/**
 * Random operations on several connections, whose channels move between two threads with two selectors each, a Poller,
 * a server, and blocking mode. Each byte is checked, and how each connection ends. What is done follows from a seed
 * alone, so two runs with the same one, with a batch and without, must print the same outcomes.
 *
 * <p>Arguments: the number of operations, and a seed. With {@code -Ddev.pollux.test.trace=true} the ends are printed.
 */
@SuppressWarnings("NonAtomicVolatileUpdate") // one thread at a time writes
public final class BatchFuzz {
    private static final int CONNECTIONS = 14;
    private static final int TAIL = 3000;
    private static final boolean IS_TRACED = Boolean.getBoolean("dev.pollux.test.trace");

    private final Random random;
    private final ServerSocketChannel[] listeners = {ServerSocketChannel.open(),
        ServerSocketChannel.open(StandardProtocolFamily.UNIX)};
    private final Selector[][] selectors = new Selector[2][2];
    private final FuzzedConnection[] connections = new FuzzedConnection[CONNECTIONS];
    private final ExecutorService other = Executors.newSingleThreadExecutor();
    private final Poller poller = new Poller();
    private final int[] polled = new int[CONNECTIONS];
    private final short[] events = new short[CONNECTIONS];
    private final StreamServer server;
    private final CRC32 outcomes = new CRC32();
    private final Map<String, Integer> counts = new TreeMap<>();
    private volatile FuzzedConnection adopted;
    private volatile long operation;
    private int opened;

    private BatchFuzz(long seed) throws IOException {
        random = new Random(seed);
        listeners[0].bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        listeners[1].bind(UnixDomainSocketAddress.of(Files.createTempDirectory("fuzz").resolve("socket")));
        for (int i = 0; i < 4; i++) {
            selectors[i / 2][i % 2] = Selector.open();
        }
        server = StreamServer.at(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), Adopted::new)
                .onError((trouble, error, peer) -> error.printStackTrace()).start();
    }

    /** Does as many operations as are asked for. */
    public static void main(String[] arguments) throws Exception {
        BatchFuzz fuzz = new BatchFuzz(Long.parseLong(arguments[1]));
        fuzz.watch();
        try {
            fuzz.run(Long.parseLong(arguments[0]));
        } catch (Throwable e) {
            System.out.println("operation " + fuzz.operation + ", seed " + arguments[1]);
            e.printStackTrace(System.out);
            Runtime.getRuntime().halt(1);
        }
        System.exit(0);
    }

    /** Ends the program, with its stacks, when an operation hangs. */
    private void watch() {
        Thread watch = new Thread(() -> {
            for (long last = -1; last != operation;) {
                last = operation;
                sleep(60_000_000_000L);
            }
            System.out.println("operation " + operation + " hangs");
            Thread.getAllStackTraces().forEach((thread, stack) -> {
                System.out.println(thread);
                for (StackTraceElement each : stack) {
                    System.out.println("    " + each);
                }
            });
            Runtime.getRuntime().halt(1);
        });
        watch.setDaemon(true);
        watch.start();
    }

    static void sleep(long nanos) {
        for (long end = System.nanoTime() + nanos, left = nanos; left > 0; left = end - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    private void run(long operations) throws Exception {
        for (int i = 0; i < CONNECTIONS; i++) {
            open(i, random.nextInt());
        }
        for (long n = 0; n < operations; n++) {
            operation = n;
            int kind = random.nextInt(10_000);
            int place = random.nextInt(CONNECTIONS);
            operate(kind, place, random.nextInt(), random.nextInt(1 << 30));
        }
        for (int i = 0; i < CONNECTIONS; i++) {
            end(i, 0, 0);
        }
        System.out.println(WarmBatch.counters(selectors[0][0]));
        System.out.println(WarmBatch.counters(selectors[1][0]));
        System.out.printf("outcomes %08x of %d connections: %s%n", outcomes.getValue(), opened, counts);
        System.out.println("every byte was right");
    }

    private interface Work {
        void run() throws Exception;
    }

    /** By one of the two threads, while the other waits. */
    private void by(int thread, Work work) throws Exception {
        if (thread == 0) {
            work.run();
            return;
        }
        try {
            other.submit(() -> {
                work.run();
                return null;
            }).get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof IOException failed) {
                throw failed;
            }
            throw e;
        }
    }

    private void open(int place, int bits) throws IOException {
        int[] buffers = {0, 0, 8_000, 50_000};
        FuzzedConnection connection =
                new FuzzedConnection(opened++, listeners[bits & 1], buffers[bits >>> 1 & 3]);
        connections[place] = connection;
        connection.owner = bits >>> 3 & 1;
        connection.near.register(selectors[connection.owner][0], SelectionKey.OP_READ);
    }

    private void operate(int kind, int place, int bits, int number) throws Exception {
        FuzzedConnection connection = connections[place];
        int owner = connection.owner;
        int k = bits & 1;
        boolean isDirect = (bits & 2) != 0;
        int length = 1 + number % ((bits & 0x70) == 0 ? FuzzedConnection.LONGEST : 2000);
        if (kind < 2500) {
            by(owner, () -> connection.write(length, isDirect));
        } else if (kind < 3000) {
            by(owner, () -> connection.gather(length));
        } else if (kind < 3200) {
            by(1 - owner, () -> connection.write(length, isDirect));
        } else if (kind < 3800) {
            by(k, () -> writeAll(k, 1 + number % 1000));
        } else if (kind < 3850) {
            by(owner, connection::fill);
        } else if (kind < 4700) {
            by(owner, () -> connection.read(length, isDirect));
        } else if (kind < 4800) {
            by(1 - owner, () -> connection.read(length, isDirect));
        } else if (kind < 5000) {
            connection.askAvailable();
        } else if (kind < 6000) {
            connection.send(1 + number % 500);
        } else if (kind < 7000) {
            connection.receive(length);
        } else if (kind < 7100) {
            connection.drain();
        } else if (kind < 8000) {
            by(owner, () -> turn(selectors[owner][0]));
        } else if (kind < 8200) {
            by(owner, () -> turn(selectors[owner][1]));
        } else if (kind < 8600) {
            by(owner, () -> register(connection, k, isDirect));
        } else if (kind < 8800) {
            by(owner, () -> cancel(connection, bits));
        } else if (kind < 9000) {
            by(owner, () -> awaitUnread(connection));
        } else if (kind < 9200) {
            by(bits >>> 2 & 1, () -> poll(connection));
        } else if (kind < 9300) {
            by(owner, () -> block(connection, bits));
        } else if (kind < 9450) {
            by(owner, () -> connection.near.configureBlocking(false));
        } else if (kind < 9550) {
            handOver(connection, bits);
        } else if (kind < 9700) {
            by(owner, () -> connection.transfer(length));
        } else if (kind < 9740) {
            by(owner, () -> shut(connection));
        } else if (kind < 9770) {
            connection.far.shutdownOutput();
            connection.isFarShut = true;
        } else if (kind < 9795) {
            sleep(1_500_000); // so long that all that was deferred has to be sent
        } else if (kind < 9798) {
            by(k, () -> reopen(k, bits >>> 1 & 1));
        } else if (kind < 9850) {
            by(owner, () -> setInterest(connection, bits));
        } else {
            end(place, number, bits);
            open(place, bits >>> 8);
        }
    }

    /** What an event loop does that has many replies. */
    private void writeAll(int owner, int length) throws IOException {
        for (FuzzedConnection each : connections) {
            if (each.owner == owner && !each.near.isBlocking()) {
                each.write(length, true);
            }
        }
    }

    private static boolean turn(Selector selector) throws IOException {
        selector.selectNow();
        selector.selectedKeys().clear();
        return true;
    }

    private void register(FuzzedConnection connection, int k, boolean asksForRoom) throws IOException {
        if (connection.near.isBlocking()) {
            return;
        }
        Selector selector = selectors[connection.owner][k];
        SelectionKey key = connection.near.keyFor(selector);
        if (key != null && !key.isValid()) {
            turn(selector); // it is cancelled, and not deregistered yet
        }
        connection.near.register(selector, SelectionKey.OP_READ | (asksForRoom ? SelectionKey.OP_WRITE : 0));
    }

    private void setInterest(FuzzedConnection connection, int bits) {
        int[] interests = {0, SelectionKey.OP_READ, SelectionKey.OP_WRITE, SelectionKey.OP_READ};
        for (SelectionKey each : connection.keys(selectors[connection.owner])) {
            each.interestOps(interests[bits >>> 1 & 3]);
        }
    }

    private void cancel(FuzzedConnection connection, int bits) throws IOException {
        Selector[] own = selectors[connection.owner];
        connection.keys(own).forEach(SelectionKey::cancel);
        for (int k = 0; k < 2; k++) {
            if ((bits & 4 << k) != 0) {
                turn(own[k]);
            }
        }
    }

    /** Bytes that are there are reported by each selector that is asked. */
    private void awaitUnread(FuzzedConnection connection) throws IOException {
        for (SelectionKey key : connection.keys(selectors[connection.owner])) {
            if (connection.sent > connection.read && (key.interestOps() & SelectionKey.OP_READ) != 0) {
                Selector selector = key.selector();
                connection.await(() -> {
                    selector.select(1000);
                    boolean isReady = selector.selectedKeys().contains(key) && key.isReadable();
                    selector.selectedKeys().clear();
                    return isReady;
                }, "unread bytes are not reported");
            }
        }
    }

    private void poll(FuzzedConnection connection) throws IOException {
        Poller.Member member = poller.add(connection.near, Poller.POLLIN);
        if (connection.sent > connection.read) {
            int n = poller.await(polled, events, Duration.ofSeconds(20));
            connection.require(n == 1 && (events[0] & Poller.POLLIN) != 0, "the Poller tells of " + n);
        } else {
            poller.await(polled, events, Duration.ZERO);
        }
        member.remove();
    }

    private void block(FuzzedConnection connection, int bits) throws IOException {
        cancel(connection, bits);
        connection.near.configureBlocking(true);
    }

    private void handOver(FuzzedConnection connection, int bits) throws Exception {
        int owner = connection.owner;
        by(owner, () -> cancel(connection, bits));
        connection.owner = 1 - owner;
        if (bits < 0) {
            by(1 - owner, () -> register(connection, 0, false));
        }
    }

    private static void shut(FuzzedConnection connection) throws IOException {
        connection.near.shutdownOutput();
        connection.isShut = true;
    }

    private void reopen(int thread, int k) throws IOException {
        selectors[thread][k].close();
        selectors[thread][k] = Selector.open();
    }

    private void end(int place, int number, int bits) throws Exception {
        FuzzedConnection connection = connections[place];
        int way = connection.isShut || connection.isFarShut ? 0 : number % 6;
        String outcome = switch (way) {
            case 1 -> resetByUnread(connection, (bits & 1) != 0);
            case 2 -> abort(connection);
            case 3 -> linger(connection);
            case 4 -> loseFar(connection, bits & 3);
            case 5 -> adopt(connection, bits);
            default -> closeOrderly(connection);
        };
        connection.near.close();
        connection.far.close();
        String line = connection.number + " " + way + (connection.isTcp ? " tcp " : " unix ") + outcome;
        outcomes.update(line.getBytes(StandardCharsets.US_ASCII));
        counts.merge(outcome, 1, Integer::sum);
        if (IS_TRACED) {
            System.out.println(line + " before operation " + operation);
        }
    }

    /** A channel that was closed keeps its descriptor until its selectors have looked. */
    private String end(FuzzedConnection connection) throws Exception {
        for (int i = 0; i < 4; i++) {
            Selector each = selectors[i / 2][i % 2];
            if (connection.near.keyFor(each) != null) {
                by(i / 2, () -> turn(each));
            }
        }
        return connection.end();
    }

    private String closeOrderly(FuzzedConnection connection) throws Exception {
        by(connection.owner, () -> {
            connection.readAll();
            connection.near.close();
        });
        return end(connection);
    }

    /**
     * The kernel answers with a reset. While a selector has the channel, the JDK shuts its output before that: which of
     * the two the far end sees first is a matter of time if its buffer is full. All bytes come if there is no reset.
     */
    private String resetByUnread(FuzzedConnection connection, boolean isDrained) throws Exception {
        if (isDrained) {
            connection.drain();
        }
        connection.send(10);
        by(connection.owner, () -> {
            connection.askAvailable();
            connection.write(100, true);
            connection.near.close();
        });
        String outcome = end(connection);
        connection.require(!outcome.equals("too early"), "an orderly end before all has come");
        return isDrained ? outcome : "either";
    }

    private String abort(FuzzedConnection connection) throws Exception {
        by(connection.owner, () -> {
            if (connection.isTcp) {
                connection.near.setOption(StandardSocketOptions.SO_LINGER, 0);
            } else {
                connection.readAll();
            }
            connection.near.close();
        });
        return end(connection);
    }

    private String linger(FuzzedConnection connection) throws Exception {
        connection.drain();
        by(connection.owner, () -> {
            if (connection.isTcp) {
                connection.near.setOption(StandardSocketOptions.SO_LINGER, 1);
            }
            connection.readAll();
            connection.write(100, true);
            connection.near.close();
        });
        return end(connection);
    }

    private String loseFar(FuzzedConnection connection, int writes) throws Exception {
        if (connection.isTcp) {
            connection.far.setOption(StandardSocketOptions.SO_LINGER, 0);
        }
        connection.far.close();
        String[] outcome = new String[1];
        by(connection.owner, () -> outcome[0] = connection.fail(writes, () -> turn(selectors[connection.owner][0])));
        return outcome[0];
    }

    /** Reads all, sends something, and closes. */
    private final class Adopted implements ConnectionHandler {
        @Override
        public void onData(ByteBuffer data, Exchange exchange) {
            FuzzedConnection connection = adopted;
            connection.readElsewhere(data);
            if (connection.read == connection.sent) {
                long place = connection.accepted;
                connection.accepted = place + TAIL;
                exchange.send(FuzzedConnection.numbered(ByteBuffer.allocate(TAIL), place, TAIL));
                exchange.close();
                adopted = null; // publishes that
            }
        }
    }

    private String adopt(FuzzedConnection connection, int bits) throws Exception {
        connection.send(10);
        connection.require(connection.sent > connection.read, "nothing is unread");
        by(connection.owner, () -> {
            cancel(connection, bits);
            adopted = connection;
            server.adopt(connection.near, ByteBuffer.allocate(0));
        });
        connection.await(() -> { // a server does not read while it has something to send
            connection.receive(FuzzedConnection.LONGEST);
            return adopted == null;
        }, "the server does not get what is unread");
        return end(connection);
    }
}
