// SPDX-License-Identifier: Apache-2.0
package dev.pollux.selector;

import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.pollux.internal.verdict.RebuildLimit;
import dev.pollux.lab.Descriptors;
import dev.pollux.lab.Job;
import dev.pollux.lab.Traffic;
import dev.pollux.lab.Warnings;
import dev.pollux.lab.Workbench.Connection;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;

/** A selector that is replaced each 512 selections, as Netty does when it spins, hides no fault. */
@Tag("beyond-jdk")
@Tag("load")
class RebuiltSelectorTest {

    private static final long BETWEEN_REQUESTS_MILLIS = 50;

    private static final long LONG = TimeUnit.SECONDS.toNanos(20);

    private static final long SOME_TIME = TimeUnit.MILLISECONDS.toNanos(1500);

    private static final int SELECTIONS = 512;

    private final ByteBuffer bytes = ByteBuffer.allocateDirect(16);

    private Warnings warnings;

    @BeforeEach
    void listen() {
        assumeFalse(Descriptors.WINDOWS, "nothing tells what an application has read and written");
        RebuildLimit.reset();
        warnings = new Warnings();
    }

    @AfterEach
    void listenNoMore() {
        if (warnings != null) {
            warnings.close();
        }
    }

    @EachProvider
    void aKeyThatEachOfThemHas(Lab lab) throws Exception {
        assumeFalse(lab.isKQueue() || lab.isDevPoll(), "an emulated system replaces too few in a second");
        Connection faulty = lab.tcp();
        Connection busy = lab.tcp();
        Job<Integer> peer = Traffic.ask(lab, busy, BETWEEN_REQUESTS_MILLIS);
        long end = System.nanoTime() + LONG;
        while (warnings.messages().isEmpty() && System.nanoTime() < end) {
            useOne(lab, ready -> {
                if (ready.channel() == busy.near()) {
                    Traffic.echo(busy.near());
                }
            }, faulty.near(), OP_READ | OP_WRITE, busy.near());
        }
        assertNamed("interest in writing was left on", faulty.near().toString());
        Traffic.end(busy, peer);
    }

    @EachProvider
    void aThreadThatStaysInterrupted(Lab lab) throws Exception {
        assumeFalse(lab.isKQueue() || lab.isDevPoll(), "an emulated system replaces too few in a second");
        Connection busy = lab.tcp();
        Job<Integer> peer = Traffic.ask(lab, busy, BETWEEN_REQUESTS_MILLIS);
        AtomicInteger echoed = new AtomicInteger();
        Thread.currentThread().interrupt();
        try {
            long end = System.nanoTime() + LONG;
            while ((warnings.messages().isEmpty() || echoed.get() == 0) && System.nanoTime() < end) {
                useOne(lab, ready -> {
                    Thread.interrupted();
                    echoed.addAndGet(Traffic.echo(busy.near()));
                    Thread.currentThread().interrupt();
                }, busy.near(), OP_READ, null);
            }
        } finally {
            assertTrue(Thread.interrupted());
        }
        assertNamed("Thread.interrupted()", "though few keys or none are ready");
        Traffic.end(busy, peer);
    }

    /** Each is closed as soon as its work is done, which never has to wait. */
    @EachProvider
    void selectorsForOneTransferEachAreNone(Lab lab) throws Exception {
        long end = System.nanoTime() + SOME_TIME;
        Connection tcp = lab.tcp();
        tcp.far().write(ByteBuffer.allocate(1));
        while (System.nanoTime() < end) {
            useOne(lab, ready -> {
                read(tcp.near());
                write(tcp.far());
            }, tcp.near(), OP_READ, null);
        }
        assertEquals(List.of(), warnings.messages());
    }

    /** Executors that live shortly: each has a thread of its own, and is woken for each task. */
    @EachProvider
    void selectorsOfThreadsThatRunSomeTasksEachAreNone(Lab lab) throws Exception {
        long end = System.nanoTime() + SOME_TIME;
        while (System.nanoTime() < end) {
            lab.start(() -> {
                try (Selector selector = lab.provider().openSelector()) {
                    for (int i = 0; i < SELECTIONS; i++) {
                        selector.wakeup();
                        selector.select();
                    }
                }
                return null;
            }).result();
        }
        assertEquals(List.of(), warnings.messages());
    }

    /** Selects with a selector of its own from one channel, and from another one if that is not null. */
    private void useOne(Lab lab, Consumer<SelectionKey> action, SocketChannel channel, int ops, SocketChannel other)
            throws IOException {
        try (Selector selector = lab.provider().openSelector()) {
            channel.register(selector, ops);
            if (other != null) {
                other.register(selector, OP_READ);
            }
            for (int i = 0; i < SELECTIONS; i++) {
                selector.select(action);
            }
        }
    }

    private void assertNamed(String... words) {
        assertEquals(1, warnings.messages().size(), warnings.messages().toString());
        String message = warnings.messages().get(0);
        assertTrue(message.startsWith("Selectors are opened and closed again and again, "), message);
        assertTrue(message.contains(" after 512 selections"), message);
        assertTrue(message.contains('"' + Thread.currentThread().getName() + '"'), message);
        for (String word : words) {
            assertTrue(message.contains(word), message);
        }
    }

    private void read(SocketChannel channel) {
        try {
            channel.read(bytes.clear().limit(1));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private void write(SocketChannel channel) {
        try {
            channel.write(bytes.clear().limit(1));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
