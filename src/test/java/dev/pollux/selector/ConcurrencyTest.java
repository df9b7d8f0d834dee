// SPDX-License-Identifier: Apache-2.0
package dev.pollux.selector;

import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.lab.Descriptors;
import dev.pollux.lab.Job;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;

/** Threads that change registrations while another one selects. */
@Tag("load")
class ConcurrencyTest {

    private static final long RACE = TimeUnit.SECONDS.toNanos(1);

    @EachProvider
    void channelsRegisteredByManyThreadsAreAllSelected(Lab lab) throws Exception {
        Selector selector = lab.selector();
        List<DatagramChannel> channels = open(lab, 800);
        AtomicInteger delivered = new AtomicInteger();
        Job<Void> selecting = lab.start(() -> {
            while (delivered.get() < channels.size()) {
                selector.select(key -> {
                    key.interestOps(0);
                    delivered.incrementAndGet();
                });
            }
            return null;
        });
        List<Job<Void>> jobs = new ArrayList<>();
        for (int t = 0; t < 4; t++) {
            List<DatagramChannel> part = channels.subList(t * 200, t * 200 + 200);
            jobs.add(lab.start(() -> {
                for (DatagramChannel channel : part) {
                    channel.register(selector, OP_WRITE);
                    selector.wakeup();
                }
                return null;
            }));
        }
        for (Job<Void> job : jobs) {
            job.result();
        }
        selecting.result();
        assertEquals(channels.size(), selector.keys().size());
        assertEquals(channels.size(), delivered.get());
    }

    @EachProvider
    void registrationsAndCancellationsOfManyThreadsLeaveNothingBehind(Lab lab) throws Exception {
        Selector selector = lab.selector();
        List<DatagramChannel> channels = open(lab, 40);
        AtomicBoolean done = new AtomicBoolean();
        Job<Void> selecting = lab.start(() -> selectUntil(done, selector));
        List<Job<Integer>> jobs = new ArrayList<>();
        for (int t = 0; t < 4; t++) {
            List<DatagramChannel> part = channels.subList(t * 10, t * 10 + 10);
            jobs.add(lab.start(() -> registerAndCancel(part, selector)));
        }
        for (Job<Integer> job : jobs) {
            assertTrue(job.result() > 0);
        }
        done.set(true);
        selector.wakeup();
        selecting.result();
        selector.selectNow();
        assertEquals(0, selector.keys().size());
        for (DatagramChannel channel : channels) {
            assertFalse(channel.isRegistered());
        }
    }

    private static int registerAndCancel(List<DatagramChannel> channels, Selector selector) throws Exception {
        int rounds = 0;
        for (long end = System.nanoTime() + RACE; System.nanoTime() < end; rounds++) {
            for (DatagramChannel channel : channels) {
                SelectionKey key = registerPatiently(channel, selector);
                key.interestOps(rounds % 2 == 0 ? OP_READ : OP_READ | OP_WRITE);
                key.cancel();
            }
        }
        return rounds;
    }

    private static SelectionKey registerPatiently(DatagramChannel channel, Selector selector) throws Exception {
        while (true) {
            try {
                return channel.register(selector, OP_READ);
            } catch (CancelledKeyException e) {
                selector.wakeup();
                Thread.onSpinWait();
            }
        }
    }

    @EachProvider
    void channelsClosedByOtherThreadsAreFreed(Lab lab) throws Exception {
        Selector selector = lab.selector();
        AtomicBoolean done = new AtomicBoolean();
        int before = Descriptors.count();
        Job<Void> selecting = lab.start(() -> selectUntil(done, selector));
        List<Job<Integer>> jobs = new ArrayList<>();
        for (int t = 0; t < 3; t++) {
            jobs.add(lab.start(() -> openAndClose(lab, selector)));
        }
        for (Job<Integer> job : jobs) {
            assertTrue(job.result() > 0);
        }
        done.set(true);
        selector.wakeup();
        selecting.result();
        selector.selectNow();
        assertEquals(0, selector.keys().size());
        assertEquals(before, Descriptors.count());
    }

    private static int openAndClose(Lab lab, Selector selector) throws Exception {
        int rounds = 0;
        for (long end = System.nanoTime() + RACE; System.nanoTime() < end; rounds++) {
            try (DatagramChannel channel = lab.provider().openDatagramChannel()) {
                channel.configureBlocking(false);
                channel.register(selector, OP_WRITE);
                selector.wakeup();
            }
            if (rounds % 64 == 0) {
                TimeUnit.MICROSECONDS.sleep(100); // lets selections with few changes happen as well
            }
        }
        return rounds;
    }

    @EachProvider
    void twoThreadsThatSelectTakeTurns(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Job<Integer> first = lab.start(selector::select);
        first.awaitSelecting();
        Job<Integer> second = lab.start(() -> selector.select(key -> { }));
        Thread.sleep(50);
        selector.wakeup();
        assertEquals(0, first.result());
        second.awaitSelecting();
        selector.wakeup();
        assertEquals(0, second.result());
    }

    private static Void selectUntil(AtomicBoolean done, Selector selector) throws Exception {
        while (!done.get()) {
            selector.select();
            selector.selectedKeys().clear();
        }
        return null;
    }

    private static List<DatagramChannel> open(Lab lab, int count) throws Exception {
        List<DatagramChannel> channels = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            channels.add(lab.datagram());
        }
        return channels;
    }
}
