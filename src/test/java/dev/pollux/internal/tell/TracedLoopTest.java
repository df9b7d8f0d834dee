// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.tell;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.EPollSelectorProvider;
import dev.pollux.Poller;
import dev.pollux.internal.count.Counter;
import dev.pollux.internal.count.Loop;
import dev.pollux.internal.count.LoopStatistics;
import dev.pollux.internal.count.Loops;
import dev.pollux.internal.selector.SelectorInsight;
import dev.pollux.lab.ArenaMechanisms;
import dev.pollux.lab.Injection;
import dev.pollux.lab.Job;
import dev.pollux.server.Exchange;
import dev.pollux.server.ServerStatistics;
import dev.pollux.server.StreamServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The counters of a loop are the system calls that strace sees its thread make: a wait that blocks is one with a
 * timeout other than 0, a change is one of epoll_ctl.
 */
class TracedLoopTest {
    private static final String EPOLL = "epoll_ctl,?epoll_wait,epoll_pwait,epoll_pwait2";

    /** What an arena makes for its turns. */
    private static final String ARENA = EPOLL + ",io_uring_enter,?accept,accept4,recvfrom,sendto,sendmsg";

    private static final Pattern WAIT = Pattern.compile("epoll_p?wait2?\\(.*");
    private static final Pattern POLL = Pattern.compile("epoll_p?wait\\(.*, 0(, NULL, 8)?\\) += .*");
    private static final Pattern RING_WAIT = Pattern.compile("io_uring_enter\\(\\d+, \\d+, 1, .*");

    private static final int CLIENTS = 5;
    private static final int REQUESTS = 40;

    private final List<Loop> before = Loops.open();
    private final List<AutoCloseable> opened = new ArrayList<>();

    /** What strace has seen. */
    private record Calls(List<String> lines) {
        private long matching(Pattern pattern) {
            return lines.stream().filter(line -> pattern.matcher(line).matches()).count();
        }

        long waits() {
            return matching(WAIT);
        }

        long blockedWaits() {
            return waits() - matching(POLL) + matching(RING_WAIT);
        }

        long changes() {
            return lines.stream().filter(line -> line.startsWith("epoll_ctl(")).count();
        }
    }

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : opened) {
            each.close();
        }
    }

    private <T extends AutoCloseable> T opened(T resource) {
        opened.add(resource);
        return resource;
    }

    private static SocketAddress anywhere() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    }

    /** One client after the other, each with requests that follow each other, or come together. */
    private Job<Void> clients(SocketAddress address) {
        return opened(new Job<>(() -> {
            for (int i = 0; i < CLIENTS; i++) {
                talk(address);
            }
            return null;
        }));
    }

    private static void talk(SocketAddress address) throws IOException {
        try (SocketChannel client = SocketChannel.open(address)) {
            for (int i = 0; i < REQUESTS; i++) {
                ByteBuffer bytes = ByteBuffer.allocate(i % 3 + 1);
                client.write(bytes);
                for (bytes.clear(); bytes.hasRemaining();) {
                    client.read(bytes);
                }
            }
        }
    }

    private static void assertTold(Calls calls, LoopStatistics statistics) {
        assertEquals(calls.blockedWaits(), statistics.count(Counter.BLOCKED_WAITS), statistics::toString);
        assertEquals(calls.changes(), statistics.count(Counter.CHANGES), statistics::toString);
        long selections = statistics.count(Counter.SELECTIONS);
        assertTrue(calls.waits() >= selections && calls.waits() <= selections + selections / 64 + 1,
                () -> calls.waits() + " waits, " + statistics);
    }

    @Test
    void whatASelectorCountsIsWhatItDoes() throws Exception {
        EPollSelectorProvider provider = new EPollSelectorProvider();
        ServerSocketChannel listener = opened(provider.openServerSocketChannel());
        listener.bind(anywhere()).configureBlocking(false);
        Selector selector = opened(provider.openSelector());
        listener.register(selector, SelectionKey.OP_ACCEPT);
        try (Injection watch = Injection.watching(EPOLL)) {
            Job<Void> clients = clients(listener.getLocalAddress());
            selector.select(1);
            for (int ended = 0; ended < CLIENTS;) {
                ended += serveSelected(selector);
            }
            selector.select(1);
            assertTold(new Calls(watch.calls()), SelectorInsight.statistics(selector));
            clients.result();
        }
    }

    /** Accepts, and sends back; every other reply waits until the channel is writable. */
    private int serveSelected(Selector selector) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(100);
        int ended = 0;
        selector.select();
        for (SelectionKey key : selector.selectedKeys()) {
            if (key.isAcceptable()) {
                SocketChannel accepted = opened(((ServerSocketChannel) key.channel()).accept());
                accepted.configureBlocking(false).register(selector, SelectionKey.OP_READ, ByteBuffer.allocate(100));
            } else if (key.isWritable()) {
                ((SocketChannel) key.channel()).write(((ByteBuffer) key.attachment()).flip());
                key.interestOps(SelectionKey.OP_READ);
            } else if (((SocketChannel) key.channel()).read(bytes.clear()) < 0) {
                key.channel().close();
                ended++;
            } else if (bytes.position() == 1) {
                ((ByteBuffer) key.attachment()).clear().put(bytes.flip());
                key.interestOps(SelectionKey.OP_WRITE);
            } else {
                ((SocketChannel) key.channel()).write(bytes.flip());
            }
        }
        selector.selectedKeys().clear();
        return ended;
    }

    @Test
    void whatAPollerCountsIsWhatItDoes() throws Exception {
        ServerSocketChannel listener = opened(ServerSocketChannel.open().bind(anywhere()));
        Poller poller = opened(Poller.open("epoll", Integer.MAX_VALUE));
        LoopStatistics statistics = statistics();
        try (Injection watch = Injection.watching(EPOLL)) {
            Job<Void> clients = clients(listener.getLocalAddress());
            poller.await(1, MILLISECONDS);
            for (int i = 0; i < CLIENTS; i++) {
                serve(poller, opened(listener.accept()));
            }
            assertTold(new Calls(watch.calls()), statistics);
            clients.result();
        }
    }

    /** A connection, to its end; each request enables its member again. */
    private static void serve(Poller poller, SocketChannel connection) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(100);
        connection.configureBlocking(false);
        Poller.Member member = poller.add(connection, Poller.POLLIN | Poller.ONESHOT);
        Poller.Handler handler = (ready, events) -> {
            if (connection.read(bytes.clear()) >= 0) {
                connection.write(bytes.flip());
                ready.enable();
            } else {
                ready.remove();
                connection.close();
            }
        };
        while (connection.isOpen()) {
            poller.await(handler);
        }
        assertTrue(!member.isValid());
    }

    /** Those of what was opened last. */
    private LoopStatistics statistics() throws InterruptedException {
        List<Loop> now = Loops.open();
        for (long end = System.nanoTime() + SECONDS.toNanos(20); now.size() == before.size();) {
            assertTrue(System.nanoTime() < end, "nothing was opened");
            Thread.sleep(1);
            now = Loops.open();
        }
        return now.get(now.size() - 1).statistics();
    }

    /** What the counters of a StreamServer's loop show, when its handler looks. */
    private record Count(long blockedWaits, long changes, long systemCalls) {
        Count minus(Count other) {
            return new Count(blockedWaits - other.blockedWaits, changes - other.changes,
                    systemCalls - other.systemCalls);
        }
    }

    /** Looks at one loop in the thread of its handler, between two turns. */
    private static final class Observation {
        private LoopStatistics statistics;
        private StreamServer server;
        private Injection watch;
        private Count first;
        private Count last;
        private Calls calls;
        private Throwable failure;

        private Count count() {
            ServerStatistics counts = server.statistics();
            return new Count(statistics.count(Counter.BLOCKED_WAITS), statistics.count(Counter.CHANGES),
                    counts.systemCalls());
        }

        void handle(ByteBuffer data, Exchange exchange) {
            byte what = data.get(0);
            try {
                if (what == 'b') {
                    watch = Injection.watching(ARENA);
                    first = count();
                } else if (what == 'e') {
                    last = count();
                    calls = new Calls(watch.calls());
                    watch.close();
                }
            } catch (Throwable e) {
                failure = e;
            }
            exchange.send(data);
            data.position(data.limit());
        }

        private void say(SocketChannel client, char what) throws Throwable {
            client.write(ByteBuffer.wrap(new byte[] {(byte) what}));
            assertEquals(1, client.read(ByteBuffer.allocate(1)));
            if (failure != null) {
                throw failure;
            }
        }
    }

    private static Stream<String> arenas() {
        return ArenaMechanisms.here().filter(List.of("io_uring", "epoll")::contains);
    }

    @ParameterizedTest
    @MethodSource("arenas")
    void whatAnInterruptServerCountsIsWhatItDoes(String mechanism) throws Throwable {
        Observation seen = new Observation();
        seen.server = opened(StreamServer.at(anywhere(), () -> seen::handle).mechanism(mechanism).start());
        seen.statistics = statistics();
        try (SocketChannel client = SocketChannel.open(seen.server.address())) {
            seen.say(client, 'b');
            clients(seen.server.address()).result();
            seen.say(client, 'e');
        }
        Count counted = seen.last.minus(seen.first);
        assertEquals(seen.calls.blockedWaits(), counted.blockedWaits);
        assertEquals(seen.calls.lines.size(), counted.systemCalls);
        if (mechanism.equals("epoll")) {
            assertEquals(seen.calls.changes(), counted.changes);
        } else {
            assertTrue(counted.changes >= CLIENTS, "each is received from: " + counted);
        }
    }

    @Test
    void wakeupsThatAreCountedAsCallsAreCalls() throws Exception {
        Selector selector = opened(new EPollSelectorProvider().openSelector());
        LoopStatistics statistics = SelectorInsight.statistics(selector);
        Injection.needed();
        Job<Void> selecting = opened(new Job<>(() -> {
            for (int i = 0; i < REQUESTS; i++) {
                selector.select();
            }
            return null;
        }));
        try (Injection watch = Injection.watching("write")) {
            while (!selecting.isDone()) {
                selector.wakeup();
            }
            assertEquals(watch.calls().size(), statistics.count(Counter.WAKEUP_CALLS));
        }
        selecting.result();
        assertEquals(REQUESTS, statistics.count(Counter.WAKEUPS));
    }
}
