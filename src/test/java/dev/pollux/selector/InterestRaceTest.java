// SPDX-License-Identifier: Apache-2.0
package dev.pollux.selector;

import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.lab.Job;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;

/** Interest that other threads change while one selects: the last change counts. */
@Tag("load")
class InterestRaceTest {

    private static final long RACE = TimeUnit.SECONDS.toNanos(1);

    @EachProvider
    void theLastInterestOfManyChangesCounts(Lab lab) throws Exception {
        Selector selector = lab.selector();
        List<SelectionKey> keys = new ArrayList<>();
        for (DatagramChannel channel : open(lab, 60)) {
            keys.add(channel.register(selector, OP_READ));
        }
        AtomicBoolean done = new AtomicBoolean();
        Job<Void> selecting = lab.start(() -> selectUntil(done, selector));
        List<Job<Void>> jobs = new ArrayList<>();
        for (int t = 0; t < 3; t++) {
            List<SelectionKey> part = keys.subList(t * 20, t * 20 + 20);
            jobs.add(lab.start(() -> toggle(part, selector)));
        }
        for (Job<Void> job : jobs) {
            job.result();
        }
        done.set(true);
        selector.wakeup();
        selecting.result();
        selector.selectedKeys().clear();
        assertEquals(keys.size() / 2, selector.selectNow());
        for (SelectionKey key : selector.selectedKeys()) {
            assertEquals(OP_WRITE, key.interestOps());
        }
    }

    /** Ends with every second key interested in writing, which is always possible. */
    private static Void toggle(List<SelectionKey> keys, Selector selector) {
        for (long end = System.nanoTime() + RACE; System.nanoTime() < end;) {
            for (SelectionKey key : keys) {
                key.interestOpsOr(OP_WRITE);
                key.interestOpsAnd(OP_READ);
                key.interestOps(0);
            }
            selector.wakeup();
        }
        for (int i = 0; i < keys.size(); i++) {
            keys.get(i).interestOps(i % 2 == 0 ? OP_WRITE : OP_READ);
        }
        return null;
    }

    @EachProvider
    void aChangeThatComesWhileTheOneBeforeIsAppliedIsNotLost(Lab lab) throws Exception {
        Selector selector = lab.selector();
        SelectionKey key = lab.datagram().register(selector, OP_WRITE);
        AtomicBoolean done = new AtomicBoolean();
        AtomicInteger delivered = new AtomicInteger();
        Job<Void> selecting = lab.start(() -> {
            while (!done.get()) {
                selector.select(k -> delivered.incrementAndGet());
            }
            return null;
        });
        int rounds = 0;
        for (long end = System.nanoTime() + RACE; System.nanoTime() < end; rounds++) {
            key.interestOps(0);
            selector.wakeup();
            for (int i = 0; i < rounds * 31 % 499; i++) {
                Thread.onSpinWait();
            }
            key.interestOps(OP_WRITE);
            int before = delivered.get();
            selector.wakeup();
            awaitMore(delivered, before);
        }
        done.set(true);
        selector.wakeup();
        selecting.result();
        assertTrue(rounds > 0);
    }

    /**
     * A selection that began before the change may deliver once more: two deliveries prove that the change was seen.
     */
    private static void awaitMore(AtomicInteger delivered, int before) {
        long patience = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (delivered.get() < before + 2) {
            assertTrue(System.nanoTime() < patience, "a change of interest was lost");
            Thread.yield();
        }
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
