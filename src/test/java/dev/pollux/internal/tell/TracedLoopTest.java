// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.tell;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.EPollSelectorProvider;
import dev.pollux.Poller;
import dev.pollux.internal.count.Counter;
import dev.pollux.internal.count.Loop;
import dev.pollux.internal.count.LoopStatistics;
import dev.pollux.internal.count.Loops;
import dev.pollux.internal.selector.SelectorInsight;
import dev.pollux.lab.Injection;
import dev.pollux.lab.Job;
import dev.pollux.lab.TracedCalls;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * The counters of a loop are the system calls that strace sees its thread make: a wait that blocks is one with a
 * timeout other than 0, a change is one of epoll_ctl.
 */
class TracedLoopTest {
    private static final int CLIENTS = TracedCalls.CLIENTS;
    private static final int REQUESTS = 40;

    private final List<Loop> before = Loops.open();
    private final List<AutoCloseable> opened = new ArrayList<>();

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

    private static void assertTold(TracedCalls calls, LoopStatistics statistics) {
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
        try (Injection watch = Injection.watching(TracedCalls.EPOLL)) {
            Job<Void> clients = opened(TracedCalls.clients(listener.getLocalAddress()));
            selector.select(1);
            for (int ended = 0; ended < CLIENTS;) {
                ended += serveSelected(selector);
            }
            selector.select(1);
            assertTold(new TracedCalls(watch.calls()), SelectorInsight.statistics(selector));
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
        try (Injection watch = Injection.watching(TracedCalls.EPOLL)) {
            Job<Void> clients = opened(TracedCalls.clients(listener.getLocalAddress()));
            poller.await(Duration.ofMillis(1));
            for (int i = 0; i < CLIENTS; i++) {
                serve(poller, opened(listener.accept()));
            }
            assertTold(new TracedCalls(watch.calls()), statistics);
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
            poller.await(handler, Poller.FOREVER);
        }
        assertTrue(!member.isValid());
    }

    /** Those of what was opened last. */
    private LoopStatistics statistics() throws InterruptedException {
        List<Loop> now = Loops.open();
        for (long end = System.nanoTime() + Duration.ofSeconds(20).toNanos(); now.size() == before.size();) {
            assertTrue(System.nanoTime() < end, "nothing was opened");
            Thread.sleep(1);
            now = Loops.open();
        }
        return now.get(now.size() - 1).statistics();
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
