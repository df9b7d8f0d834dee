// SPDX-License-Identifier: Apache-2.0
import dev.pollux.internal.count.Counter;
import dev.pollux.internal.count.Loop;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.FutureTask;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Threads hand a selector to each other while they write, and so do those of a second one. Channels move between the
 * two, another thread writes as well, and peers check each byte. Takes the number of requests of each peer.
 */
public final class Loops {
    private static final int SELECTORS = 2, THREADS = 2, PEERS = 2, CONNECTIONS = 8, LONGEST = 3000;

    /** Turns until a thread gives the loop to another one. */
    private static final int LONGEST_REIGN = 600;

    /** Requests of one connection, at most; then the peer makes another one. */
    private static final int LIFE = 400;

    private static final List<Reign> LOOPS = new ArrayList<>();
    private static volatile boolean ends;

    private Loops() {
    }

    /** The near end of a connection. What is received goes back whole before anything else is received. */
    private static final class Echo {
        final SocketChannel channel;
        private final ByteBuffer bytes = ByteBuffer.allocateDirect(LONGEST);

        Echo(SocketChannel channel) {
            this.channel = channel;
        }

        synchronized void run(int most) throws IOException {
            try {
                int n = channel.read(bytes.clear().limit(most));
                bytes.flip();
                while (bytes.hasRemaining()) {
                    if (channel.write(bytes) == 0) {
                        Thread.yield();
                    }
                }
                if (n < 0) {
                    channel.close();
                }
            } catch (ClosedChannelException e) {
                return; // another thread has seen the end
            }
        }
    }

    /** A selector, and the connections that it has had. */
    private static final class Reign {
        final Selector selector = Selector.open();
        final ReentrantLock reigning = new ReentrantLock();
        final List<Echo> all = new ArrayList<>();
        private final FileInputStream zeros = new FileInputStream("/dev/zero");
        private final FileOutputStream nowhere = new FileOutputStream("/dev/null");

        Reign() throws IOException {
        }

        /** The sanitizer sees no lock of Java's, but takes what was read from a file for what was written to one. */
        List<Echo> select() throws IOException {
            synchronized (selector) { // as the selector itself does
                zeros.read();
                selector.select(1);
                List<Echo> ready = new ArrayList<>();
                selector.selectedKeys().forEach(key -> ready.add((Echo) key.attachment()));
                selector.selectedKeys().clear();
                nowhere.write(0);
                return ready;
            }
        }

        void serve(Random random) throws Exception {
            while (!ends) {
                reigning.lock();
                try {
                    reign(random);
                } finally {
                    reigning.unlock();
                }
                for (int i = 0; i < 5; i++) { // another thread has the loop now
                    any(random).run(LONGEST);
                }
            }
        }

        private void reign(Random random) throws IOException {
            for (int turn = random.nextInt(LONGEST_REIGN); turn >= 0 && !ends; turn--) {
                for (Echo each : select()) {
                    each.run(random.nextInt(4) == 0 ? 7 : LONGEST);
                }
            }
        }

        Echo any(Random random) {
            synchronized (all) {
                all.removeIf(each -> !each.channel.isOpen());
                return all.isEmpty() ? new Echo(closed()) : all.get(random.nextInt(all.size()));
            }
        }

        private static SocketChannel closed() {
            try {
                SocketChannel channel = SocketChannel.open();
                channel.close();
                return channel;
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        }

        void add(Echo echo) throws IOException {
            echo.channel.register(selector, SelectionKey.OP_READ, echo);
            synchronized (all) {
                all.add(echo);
            }
        }
    }

    public static void main(String[] arguments) throws Exception {
        int requests = Integer.parseInt(arguments[0]);
        List<FutureTask<Void>> threads = new ArrayList<>();
        List<FutureTask<Void>> peers = new ArrayList<>();
        for (int i = 0; i < SELECTORS; i++) {
            LOOPS.add(new Reign());
        }
        try (ServerSocketChannel listener = ServerSocketChannel.open()) {
            listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            threads.add(Tasks.start(() -> accept(listener)));
            for (int i = 0; i < SELECTORS * THREADS; i++) {
                Reign loop = LOOPS.get(i % SELECTORS);
                Random random = new Random(i);
                threads.add(Tasks.start(() -> loop.serve(random)));
            }
            threads.add(Tasks.start(Loops::disturb));
            for (int i = 0; i < PEERS; i++) {
                Random random = new Random(100 + i);
                peers.add(Tasks.start(() -> ask(listener, requests, random)));
            }
            for (FutureTask<Void> each : peers) {
                each.get();
            }
            ends = true;
        }
        for (FutureTask<Void> each : threads) {
            each.get();
        }
        long deferred = LOOPS.stream().mapToLong(loop -> count(loop.selector)).sum();
        System.out.println("deferredWrites=" + deferred);
        if (deferred == 0) {
            throw new AssertionError("no batch was at work");
        }
        System.out.println("every byte was right");
        System.exit(0);
    }

    private static long count(Selector selector) {
        return ((Loop) selector).statistics().count(Counter.DEFERRED_WRITES);
    }

    private static void accept(ServerSocketChannel listener) throws IOException {
        for (int i = 0; !ends; i++) {
            try {
                SocketChannel channel = listener.accept();
                channel.configureBlocking(false);
                LOOPS.get(i % SELECTORS).add(new Echo(channel));
            } catch (ClosedChannelException e) {
                return; // the peers are done
            }
        }
    }

    /** Echoes as the loops do, and takes channels from one loop to the other. */
    private static void disturb() throws Exception {
        Random random = new Random(99);
        while (!ends) {
            int from = random.nextInt(SELECTORS);
            Echo echo = LOOPS.get(from).any(random);
            if (random.nextInt(3) == 0) {
                move(echo, LOOPS.get(from), LOOPS.get(1 - from));
            } else {
                echo.run(LONGEST);
            }
            Thread.sleep(1);
        }
    }

    private static void move(Echo echo, Reign from, Reign to) throws IOException {
        try {
            SelectionKey key = echo.channel.keyFor(from.selector);
            if (key != null && echo.channel.keyFor(to.selector) == null) { // else it has not left that one yet
                key.cancel();
                to.add(echo);
            }
        } catch (ClosedChannelException e) {
            return; // its peer has gone
        }
    }

    /** Asks on several connections at a time, so that loops have several replies in a turn. */
    private static void ask(ServerSocketChannel listener, int requests, Random random) throws IOException {
        SocketChannel[] channels = new SocketChannel[CONNECTIONS];
        ByteBuffer bytes = ByteBuffer.allocateDirect(LONGEST);
        for (int request = 0; request < requests; request++) {
            if (request % LIFE == 0) {
                connect(channels, listener);
            }
            int length = 1 + random.nextInt(random.nextBoolean() ? 100 : LONGEST);
            for (int i = 0; i < CONNECTIONS; i++) {
                bytes.clear();
                while (bytes.position() < length) {
                    bytes.put((byte) (request + i + bytes.position()));
                }
                for (bytes.flip(); bytes.hasRemaining();) {
                    channels[i].write(bytes);
                }
            }
            for (int i = 0; i < CONNECTIONS; i++) {
                hear(channels[i], bytes.clear().limit(length), request + i);
            }
        }
    }

    private static void connect(SocketChannel[] channels, ServerSocketChannel listener) throws IOException {
        for (int i = 0; i < channels.length; i++) {
            if (channels[i] != null) {
                channels[i].close();
            }
            channels[i] = SocketChannel.open(listener.getLocalAddress());
        }
    }

    private static void hear(SocketChannel channel, ByteBuffer bytes, int first) throws IOException {
        while (bytes.hasRemaining()) {
            if (channel.read(bytes) < 0) {
                throw new AssertionError("an end after " + bytes.position() + " bytes");
            }
        }
        for (int i = 0; i < bytes.limit(); i++) {
            if (bytes.get(i) != (byte) (first + i)) {
                throw new AssertionError("byte " + i + " is wrong");
            }
        }
    }
}
