// SPDX-License-Identifier: Apache-2.0
package dev.pollux.selector;

import static java.nio.channels.SelectionKey.OP_READ;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.lab.Injection;
import dev.pollux.lab.Io;
import dev.pollux.lab.Job;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;

/** A waker whose system call is held up: the selection that it was for has ended meanwhile. */
class LateWakeupTest {

    private static final long DELAY = 700;

    @EachProvider
    @Tag("beyond-jdk")
    void aWakeupThatWasTakenDoesNotEndALaterSelectionByItsLateSystemCall(Lab lab) throws Exception {
        Injection.needed();
        Selector selector = lab.selector();
        Pipe pipe = lab.pipe();
        pipe.source().register(selector, OP_READ);
        Job<Integer> first = lab.start(selector::select);
        first.awaitSelecting();
        Job<Integer> waker = wakeLate(lab, selector);
        Io.feed(pipe);
        assertEquals(1, first.result());
        selector.selectedKeys().clear();
        Io.drain(pipe.source());
        assertTrue(!waker.isDone(), "the waker is still on its way");
        long nanos = Io.nanosOf(() -> assertEquals(0, selector.select(2 * DELAY)));
        assertTrue(nanos >= TimeUnit.MILLISECONDS.toNanos(2 * DELAY), "ended after " + nanos + " ns");
        assertEquals(1, waker.result());
        long cpu = Io.cpuMillisOf(() -> selector.select(200));
        assertTrue(cpu < 70, "processor time: " + cpu + " ms");
    }

    @EachProvider
    void aLateWakeupNeverWritesToADescriptorThatBelongsToSomebodyElseByNow(Lab lab) throws Exception {
        Injection.needed();
        Selector selector = lab.provider().openSelector();
        Pipe pipe = lab.pipe();
        pipe.source().register(selector, OP_READ);
        Job<Integer> first = lab.start(selector::select);
        first.awaitSelecting();
        Job<Integer> waker = wakeLate(lab, selector);
        Io.feed(pipe);
        assertEquals(1, first.result());
        assertTrue(!waker.isDone(), "the waker is still on its way");
        selector.close();
        List<Pipe> newcomers = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            newcomers.add(lab.pipe());
        }
        assertEquals(1, waker.result());
        for (Pipe newcomer : newcomers) {
            assertEquals(0, newcomer.source().read(ByteBuffer.allocate(64)), "bytes that nobody here wrote");
        }
    }

    /** Starts a thread whose wakeup takes long to reach the kernel; its result is the number of writes. */
    private static Job<Integer> wakeLate(Lab lab, Selector selector) throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        Job<Integer> waker = lab.start(() -> {
            try (Injection delay = Injection.delaying("write", DELAY)) {
                begun.countDown();
                selector.wakeup();
                return delay.calls().size();
            } finally {
                begun.countDown();
            }
        });
        begun.await();
        Thread.sleep(DELAY / 5);
        return waker;
    }
}
