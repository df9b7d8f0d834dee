// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.verdict;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.EPollSelectorProvider;
import dev.pollux.Poller;
import dev.pollux.internal.count.Counter;
import dev.pollux.internal.count.Loop;
import dev.pollux.internal.count.Loops;
import dev.pollux.lab.Job;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LoopSnapshotTest {
    private final Set<Loop> before = new HashSet<>(Loops.open());
    private Selector selector;
    private Pipe pipe;

    @BeforeEach
    void open() throws IOException {
        EPollSelectorProvider provider = new EPollSelectorProvider();
        selector = provider.openSelector();
        pipe = provider.openPipe();
        pipe.source().configureBlocking(false).register(selector, SelectionKey.OP_READ);
    }

    @AfterEach
    void close() throws IOException {
        selector.close();
        pipe.source().close();
        pipe.sink().close();
    }

    /** Of the selector of this test. */
    private LoopSnapshot snapshot() {
        Set<Long> others = before.stream().map(loop -> loop.statistics().number()).collect(Collectors.toSet());
        List<LoopSnapshot> ours =
                LoopSnapshot.all().stream().filter(each -> !others.contains(each.number())).toList();
        assertEquals(1, ours.size());
        return ours.get(0);
    }

    private LoopSnapshot await(Predicate<LoopSnapshot> condition) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (true) {
            LoopSnapshot now = snapshot();
            if (condition.test(now)) {
                return now;
            }
            assertTrue(System.nanoTime() < end, now.toString());
            Thread.sleep(1);
        }
    }

    private static boolean isIn(LoopSnapshot loop, String method) {
        return Arrays.stream(loop.stack()).anyMatch(call -> call.getMethodName().equals(method));
    }

    private void send() throws IOException {
        pipe.sink().write(ByteBuffer.allocate(1));
    }

    private static void handleSlowly(CountDownLatch end) throws InterruptedException {
        end.await();
    }

    @Test
    void aLoopThatWaitsIsSeenToWait() throws Exception {
        try (Job<Integer> selecting = new Job<>(selector::select)) {
            LoopSnapshot waiting = await(now -> now.isWaiting() && now.stateNanos() > 20_000_000);
            assertEquals("test-job", waiting.threadName());
            assertEquals(selecting.thread(), waiting.thread());
            assertEquals(selecting.thread().getId(), waiting.threadId());
            assertEquals(0, waiting.busyNanos());
            assertEquals(0, waiting.busySelections());
            assertEquals(0, waiting.count(Counter.BLOCKED_WAITS), "it has not ended");
            long blocked = waiting.count(Counter.BLOCKED_NANOS);
            assertTrue(blocked >= 20_000_000 && blocked <= waiting.elapsedNanos());
            assertTrue(waiting.utilization() >= 0 && waiting.utilization() < 1);
            assertTrue(isIn(waiting, "doSelect"));
            assertFalse(waiting.isStalled());
            send();
            assertEquals(1, selecting.result());
        }
    }

    @Test
    void itTellsWhoWokeASelectorAndWhatTheKernelSays() throws Exception {
        try (Job<Integer> selecting = new Job<>(selector::select)) {
            LoopSnapshot waiting = await(now -> now.isWaiting() && now.gate().startsWith("blocked"));
            assertTrue(waiting.gate().contains("; never woken; signals: 0 sent"), waiting.gate());
            selector.wakeup();
            assertEquals(0, selecting.result());
            assertTrue(snapshot().gate().startsWith("idle: the next wakeup is kept, without a signal; woken last by "
                    + "thread \"" + Thread.currentThread().getName() + "\"; signals: 1 sent"), snapshot().gate());
        }
        LoopSnapshot last = snapshot();
        selector.close();
        assertEquals("", last.gate());
    }

    @Test
    void itTellsWhoWokeAPoller() throws Exception {
        selector.close();
        try (Poller poller = Poller.open("epoll", 4);
                Job<?> awaiting = new Job<>(() -> poller.await((member, ready) -> { }, 1, TimeUnit.MINUTES))) {
            await(now -> now.isWaiting()
                    && now.gate().startsWith("leader blocked: the next wakeup signals; never woken"));
            poller.wakeup();
            awaiting.result();
            poller.wakeup();
            assertTrue(snapshot().gate().startsWith("the next await returns; leader "), snapshot().gate());
            assertTrue(snapshot().gate().contains("; woken last by thread \"" + Thread.currentThread().getName()
                    + "\"; signals: 1 sent"), snapshot().gate());
        }
    }

    @Test
    void aHandlerThatDoesNotReturnIsSeenWithItsStack() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        try (Job<Integer> serving = new Job<>(() -> {
            int ready = selector.select();
            handleSlowly(end);
            return ready;
        })) {
            await(LoopSnapshot::isWaiting);
            send();
            LoopSnapshot stalled = await(LoopSnapshot::isStalled);
            assertTrue(isIn(stalled, "handleSlowly"));
            assertFalse(stalled.isWaiting());
            assertEquals(1, stalled.busySelections());
            assertEquals(1, stalled.count(Counter.READY));
            assertTrue(stalled.busyNanos() >= 100_000_000);
            assertTrue(stalled.longestBusyNanos() >= 100_000_000);
            assertTrue(stalled.utilization() > 0);
            end.countDown();
            assertEquals(1, serving.result());
        }
    }

    /** Another one may take its place: {@link WatchedLoopTest} has when it is lost. */
    @Test
    void aThreadThatHasEndedIsNotLostAtOnce() throws Exception {
        assertFalse(snapshot().hasLostThread(), "nobody has selected yet");
        try (Job<Integer> selecting = new Job<>(selector::select)) {
            assertFalse(await(LoopSnapshot::isWaiting).hasLostThread());
            selector.wakeup();
            selecting.thread().join();
            LoopSnapshot ended = snapshot();
            assertFalse(ended.hasLostThread());
            assertEquals("test-job", ended.threadName());
        }
    }

    @Test
    void aBusyLoopWithoutEventsIsNotStalled() throws Exception {
        selector.selectNow();
        LoopSnapshot idle = await(now -> now.busyNanos() >= 120_000_000);
        assertFalse(idle.isStalled());
        assertEquals(Thread.currentThread().getName(), idle.threadName());
        assertTrue(isIn(idle, "aBusyLoopWithoutEventsIsNotStalled"));
        assertEquals(1.0, idle.utilization());
    }

    /** Even if there are events for it. */
    @Test
    void aLoopThatNoThreadHasUsedIsNeitherBusyNorStalled() throws Exception {
        send();
        Thread.sleep(120);
        LoopSnapshot unused = snapshot();
        assertFalse(unused.isStalled() || unused.isWaiting());
        assertEquals(0, unused.busyNanos());
        assertEquals(0, unused.longestBusyNanos());
        assertEquals(0.0, unused.utilization());
        assertEquals("", unused.threadName());
        assertEquals(0, unused.threadId());
        assertEquals(0, unused.stack().length);
    }

    @Test
    void aLoopWithTooMuchToDoIsNotStalledUntilItStops() throws Exception {
        send();
        CountDownLatch stop = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        try (Job<Boolean> serving = new Job<>(() -> {
            while (stop.getCount() > 0) {
                selector.select(key -> { });
            }
            handleSlowly(end);
            return true;
        })) {
            await(now -> now.busyNanos() >= 200_000_000 && now.busySelections() > 1 && !now.isStalled());
            stop.countDown();
            assertTrue(isIn(await(LoopSnapshot::isStalled), "handleSlowly"));
            end.countDown();
            assertTrue(serving.result());
        }
    }
}
