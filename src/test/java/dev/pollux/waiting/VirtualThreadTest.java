// SPDX-License-Identifier: Apache-2.0
package dev.pollux.waiting;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.lab.Io;
import dev.pollux.lab.Loop;
import dev.pollux.lab.Loop.Wait;
import dev.pollux.lab.LoopLab;
import dev.pollux.lab.Virtual;
import java.nio.channels.Pipe;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;

/** Waits of virtual threads (JDK 21 and later). */
class VirtualThreadTest {

    @BeforeAll
    static void startPollers() throws Exception {
        Virtual.startPollers();
    }

    @EachLoop
    void aVirtualThreadIsToldWhatIsReady(LoopLab lab) throws Exception {
        Loop loop = lab.loop();
        Pipe pipe = lab.pipe();
        loop.watch(pipe.source());
        for (Wait wait : loop.waits()) {
            CountDownLatch about = new CountDownLatch(1);
            FutureTask<Integer> task = Virtual.start(() -> {
                about.countDown();
                return wait.await(Loop.FOREVER);
            });
            about.await();
            Thread.sleep(50);
            Io.feed(pipe);
            assertEquals(1, task.get(20, TimeUnit.SECONDS));
            Io.drain(pipe.source());
        }
    }

    @EachLoop
    void aVirtualThreadIsWokenUp(LoopLab lab) throws Exception {
        Loop loop = lab.loop();
        for (int i = 0; i < 50; i++) {
            FutureTask<Integer> task = Virtual.start(loop::await);
            if (i % 2 == 0) {
                Thread.sleep(5);
            }
            loop.wakeup();
            assertEquals(0, task.get(20, TimeUnit.SECONDS));
        }
    }

    @EachLoop
    void aVirtualThreadIsInterrupted(LoopLab lab) throws Exception {
        Loop loop = lab.loop();
        CompletableFuture<Thread> thread = new CompletableFuture<>();
        FutureTask<Boolean> task = Virtual.start(() -> {
            thread.complete(Thread.currentThread());
            assertEquals(0, loop.await());
            return Thread.currentThread().isInterrupted();
        });
        Thread waiting = thread.get(20, TimeUnit.SECONDS);
        Thread.sleep(50);
        waiting.interrupt();
        assertTrue(task.get(20, TimeUnit.SECONDS));
        assertTrue(loop.isOpen());
    }

    @EachLoop
    void aVirtualThreadThatIsInterruptedAlreadyReturnsAtOnce(LoopLab lab) throws Exception {
        Loop loop = lab.loop();
        FutureTask<Integer> task = Virtual.start(() -> {
            Thread.currentThread().interrupt();
            return loop.await();
        });
        assertEquals(0, task.get(20, TimeUnit.SECONDS));
    }

    @EachLoop
    void aTimeoutIsNeverCutShort(LoopLab lab) throws Exception {
        Loop loop = lab.loop();
        for (long millis : new long[] {1, 10, 150}) {
            FutureTask<Long> task = Virtual.start(() -> Io.nanosOf(() -> assertEquals(0, loop.await(millis))));
            long nanos = task.get(20, TimeUnit.SECONDS);
            assertTrue(nanos >= TimeUnit.MILLISECONDS.toNanos(millis), millis + " ms took " + nanos + " ns");
        }
    }

    @EachLoop
    void closingEndsTheWaitOfAVirtualThread(LoopLab lab) throws Exception {
        Loop loop = lab.loop();
        FutureTask<Integer> task = Virtual.start(loop::await);
        Thread.sleep(50);
        loop.close();
        ClosingTest.assertEnds(loop, () -> task.get(20, TimeUnit.SECONDS));
    }

    @EachLoop
    void hundredsOfWaitsDoNotStopOtherVirtualThreads(LoopLab lab) throws Exception {
        // Where nothing can be parked on, the JDK lends carriers, at most 256 of them.
        int many = (lab.isEPoll() || lab.isKQueue()) && Runtime.version().feature() >= 24 ? 300 : 100;
        List<Loop> loops = new ArrayList<>();
        List<FutureTask<Integer>> tasks = new ArrayList<>();
        CountDownLatch about = new CountDownLatch(many);
        for (int i = 0; i < many; i++) {
            Loop loop = lab.loop();
            loops.add(loop);
            tasks.add(Virtual.start(() -> {
                about.countDown();
                return loop.await();
            }));
        }
        assertTrue(about.await(20, TimeUnit.SECONDS), "virtual threads that did not start: " + about.getCount());
        assertEquals("alive", Virtual.start(() -> "alive").get(20, TimeUnit.SECONDS));
        loops.forEach(Loop::wakeup);
        for (FutureTask<Integer> task : tasks) {
            assertEquals(0, task.get(20, TimeUnit.SECONDS));
        }
    }

    @EachLoop
    void virtualAndPlatformThreadsTakeTurns(LoopLab lab) throws Exception {
        Loop loop = lab.loop();
        Pipe pipe = lab.pipe();
        loop.watch(pipe.source());
        for (int i = 0; i < 100; i++) {
            Io.feed(pipe);
            for (Wait wait : loop.waits()) {
                assertEquals(1, Virtual.start(() -> wait.await(Loop.FOREVER)).get(20, TimeUnit.SECONDS));
                assertEquals(1, wait.await(Loop.FOREVER));
            }
            Io.drain(pipe.source());
            assertEquals(0, loop.await(0));
        }
    }
}
