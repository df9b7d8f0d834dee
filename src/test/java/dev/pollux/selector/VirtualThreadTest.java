// SPDX-License-Identifier: Apache-2.0
package dev.pollux.selector;

import static java.nio.channels.SelectionKey.OP_READ;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.lab.Io;
import dev.pollux.lab.Virtual;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeAll;

/** Selections by virtual threads (JDK 21 and later). */
class VirtualThreadTest {

    @BeforeAll
    static void startPollers() throws Exception {
        Virtual.startPollers();
    }

    @EachProvider
    void aVirtualThreadSelectsWhatIsReady(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Pipe pipe = lab.pipe();
        SelectionKey key = pipe.source().register(selector, OP_READ);
        CountDownLatch about = new CountDownLatch(1);
        FutureTask<Integer> task = Virtual.start(() -> {
            about.countDown();
            return selector.select();
        });
        about.await();
        Thread.sleep(100);
        Io.feed(pipe);
        assertEquals(1, task.get(20, TimeUnit.SECONDS));
        assertTrue(key.isReadable());
    }

    @EachProvider
    void aVirtualThreadIsWokenUp(Lab lab) throws Exception {
        Selector selector = lab.selector();
        for (int i = 0; i < 50; i++) {
            FutureTask<Integer> task = Virtual.start(selector::select);
            if (i % 2 == 0) {
                Thread.sleep(5);
            }
            selector.wakeup();
            assertEquals(0, task.get(20, TimeUnit.SECONDS));
        }
    }

    @EachProvider
    void aVirtualThreadIsInterrupted(Lab lab) throws Exception {
        Selector selector = lab.selector();
        AtomicReference<Thread> thread = new AtomicReference<>();
        FutureTask<Boolean> task = Virtual.start(() -> {
            thread.set(Thread.currentThread());
            assertEquals(0, selector.select());
            return Thread.currentThread().isInterrupted();
        });
        while (thread.get() == null) {
            Thread.sleep(1);
        }
        Thread.sleep(50);
        thread.get().interrupt();
        assertTrue(task.get(20, TimeUnit.SECONDS));
        assertTrue(selector.isOpen());
    }

    @EachProvider
    void aVirtualThreadThatIsInterruptedAlreadyReturnsAtOnce(Lab lab) throws Exception {
        Selector selector = lab.selector();
        FutureTask<Integer> task = Virtual.start(() -> {
            Thread.currentThread().interrupt();
            return selector.select();
        });
        assertEquals(0, task.get(20, TimeUnit.SECONDS));
    }

    @EachProvider
    void aTimeoutIsNeverCutShort(Lab lab) throws Exception {
        Selector selector = lab.selector();
        for (long millis : new long[] {1, 10, 150}) {
            FutureTask<Long> task = Virtual.start(() -> Io.nanosOf(() -> assertEquals(0, selector.select(millis))));
            long nanos = task.get(20, TimeUnit.SECONDS);
            assertTrue(nanos >= TimeUnit.MILLISECONDS.toNanos(millis), millis + " ms took " + nanos + " ns");
        }
    }

    @EachProvider
    void closingEndsTheSelectionOfAVirtualThread(Lab lab) throws Exception {
        Selector selector = lab.provider().openSelector();
        FutureTask<Boolean> task = Virtual.start(() -> {
            try {
                selector.select();
            } catch (java.nio.channels.ClosedSelectorException e) {
                return true;
            }
            return !selector.isOpen();
        });
        Thread.sleep(50);
        selector.close();
        assertTrue(task.get(20, TimeUnit.SECONDS));
    }

    @EachProvider
    void hundredsOfSelectionsDoNotStopOtherVirtualThreads(Lab lab) throws Exception {
        // Where nothing can be parked on, the JDK lends carriers, at most 256 of them.
        int many = (lab.isEPoll() || lab.isKQueue()) && Runtime.version().feature() >= 24 ? 300 : 100;
        List<Selector> selectors = new ArrayList<>();
        List<FutureTask<Integer>> tasks = new ArrayList<>();
        CountDownLatch about = new CountDownLatch(many);
        for (int i = 0; i < many; i++) {
            Selector selector = lab.selector();
            selectors.add(selector);
            tasks.add(Virtual.start(() -> {
                about.countDown();
                return selector.select();
            }));
        }
        assertTrue(about.await(20, TimeUnit.SECONDS), "virtual threads that did not start: " + about.getCount());
        assertEquals("alive", Virtual.start(() -> "alive").get(20, TimeUnit.SECONDS));
        selectors.forEach(Selector::wakeup);
        for (FutureTask<Integer> task : tasks) {
            assertEquals(0, task.get(20, TimeUnit.SECONDS));
        }
    }

    @EachProvider
    void virtualAndPlatformThreadsTakeTurnsOnOneSelector(Lab lab) throws Exception {
        Selector selector = lab.selector();
        Pipe pipe = lab.pipe();
        pipe.source().register(selector, OP_READ);
        for (int i = 0; i < 100; i++) {
            Callable<Integer> select = () -> selector.select(key -> assertTrue(key.isReadable()));
            Io.feed(pipe);
            assertEquals(1, Virtual.start(select).get(20, TimeUnit.SECONDS));
            assertEquals(1, select.call());
            Io.drain(pipe.source());
            assertEquals(0, selector.selectNow());
        }
    }
}
