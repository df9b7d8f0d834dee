// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.selector;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.pollux.PolluxSelectorProvider;
import dev.pollux.internal.count.Counter;
import dev.pollux.internal.count.Loop;
import dev.pollux.internal.count.LoopStatistics;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Each counter counts what its name says, and nothing else. */
class LoopStatisticsTest {
    private final PolluxSelectorProvider provider = new PolluxSelectorProvider();
    private Selector selector;
    private LoopStatistics statistics;
    private Pipe pipe;

    @BeforeEach
    void open() throws IOException {
        selector = provider.openSelector();
        statistics = SelectorInsight.statistics(selector);
        pipe = provider.openPipe();
        pipe.source().configureBlocking(false);
    }

    @AfterEach
    void close() throws IOException {
        selector.close();
        pipe.source().close();
        pipe.sink().close();
    }

    @Test
    void selectionsAndReadyKeysAreCounted() throws IOException {
        pipe.source().register(selector, SelectionKey.OP_READ);
        selector.selectNow();
        assertEquals(1, statistics.count(Counter.SELECTIONS));
        assertEquals(0, statistics.count(Counter.READY));
        pipe.sink().write(ByteBuffer.allocate(1));
        selector.select();
        assertEquals(2, statistics.count(Counter.SELECTIONS));
        assertEquals(1, statistics.count(Counter.READY));
    }

    @Test
    void aSelectNowBlocksNoWait() throws IOException {
        selector.selectNow();
        assertEquals(0, statistics.count(Counter.BLOCKED_WAITS));
        selector.select(1);
        assertEquals(1, statistics.count(Counter.BLOCKED_WAITS));
    }

    @Test
    void aWakeupThatNobodyWaitsForNeedsNoSystemCall() throws IOException {
        selector.wakeup();
        selector.select();
        assertEquals(0, statistics.count(Counter.WAKEUP_CALLS));
    }

    @Test
    void aWakeupOfABlockedThreadNeedsOneSystemCall() throws Exception {
        Thread selecting = new Thread(() -> {
            try {
                selector.select();
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        });
        selecting.start();
        while (!statistics.isWaiting()) {
            Thread.sleep(1);
        }
        while (selecting.isAlive()) { // a wakeup before the thread blocks needs none
            if (statistics.count(Counter.WAKEUP_CALLS) == 0) {
                selector.wakeup();
            }
            selecting.join(1);
        }
        assertTrue(statistics.count(Counter.WAKEUP_CALLS) <= 1, statistics.toString());
    }

    @Test
    void whatTheMechanismIsToldIsCounted() throws IOException {
        SelectionKey key = pipe.source().register(selector, SelectionKey.OP_READ);
        assertEquals(0, statistics.count(Counter.CHANGES), "it is told by the next selection");
        selector.selectNow();
        assertEquals(1, statistics.count(Counter.CHANGES));
        key.interestOps(0);
        selector.selectNow();
        assertEquals(1, statistics.count(Counter.CHANGES), "interest in reading is taken away lazily");
        key.cancel();
        selector.selectNow();
        assertEquals(2, statistics.count(Counter.CHANGES));
        assertEquals(0, statistics.count(Counter.REFUSALS));
        assertEquals(0, statistics.count(Counter.OUT_OF_BAND_BYTES));
    }

    @Test
    void theTimeOfWaitsThatBlockIsCountedAndNoOther() throws Exception {
        selector.select(50);
        long blocked = statistics.count(Counter.BLOCKED_NANOS);
        assertTrue(blocked >= MILLISECONDS.toNanos(50), "blocked for " + blocked);
        Thread.sleep(20);
        selector.selectNow();
        assertEquals(blocked, statistics.count(Counter.BLOCKED_NANOS));
        assertTrue(statistics.elapsedNanos() >= blocked + MILLISECONDS.toNanos(20));
    }

    @Test
    void aLoopIsBusyFromOneWaitToTheNext() throws Exception {
        selector.select(50);
        long blocked = statistics.count(Counter.BLOCKED_NANOS);
        Thread.sleep(30);
        selector.selectNow();
        assertEquals(2, statistics.busySelections(), "the one that waited, and the one that did not");
        assertTrue(statistics.busyNanos() >= MILLISECONDS.toNanos(30));
        selector.select(1);
        long longest = statistics.longestBusyNanos();
        assertTrue(longest >= MILLISECONDS.toNanos(30));
        assertTrue(longest <= statistics.elapsedNanos() - blocked, "waits are no part of it");
        assertEquals(1, statistics.busySelections());
        selector.select(1);
        assertTrue(statistics.longestBusyNanos() >= longest);
    }

    /** Netty opens its selectors long before it uses them. */
    @Test
    void theTimeBeforeTheFirstSelectionIsNoStretch() throws Exception {
        Thread.sleep(1000);
        assertEquals(0, statistics.busyNanos());
        assertNull(statistics.thread());
        selector.select(1);
        assertTrue(statistics.longestBusyNanos() < MILLISECONDS.toNanos(1000));
        assertEquals(Thread.currentThread(), statistics.thread());
    }

    @Test
    void theFirstStretchBeginsWithTheFirstSelection() throws Exception {
        selector.selectNow();
        assertEquals(Thread.currentThread(), statistics.thread());
        Thread.sleep(30);
        assertTrue(statistics.busyNanos() >= MILLISECONDS.toNanos(30));
        selector.select(1);
        assertTrue(statistics.longestBusyNanos() >= MILLISECONDS.toNanos(30));
    }

    private static void handleSlowly() {
        for (long end = System.nanoTime() + MILLISECONDS.toNanos(30); System.nanoTime() < end;) {
            LockSupport.parkNanos(end - System.nanoTime()); // may end early
        }
    }

    /** The handler runs before that selection returns. */
    @Test
    void aSlowHandlerOfTheFirstSelectionIsPartOfTheStretch() throws Exception {
        pipe.source().register(selector, SelectionKey.OP_READ);
        pipe.sink().write(ByteBuffer.allocate(1));
        assertEquals(1, selector.selectNow(key -> handleSlowly()));
        selector.select(1);
        assertTrue(statistics.longestBusyNanos() >= MILLISECONDS.toNanos(30));
    }

    @Test
    void wakeupsThatSelectionsTakeAreCounted() throws IOException {
        selector.selectNow();
        assertEquals(0, statistics.count(Counter.WAKEUPS));
        selector.wakeup().wakeup();
        selector.select();
        assertEquals(1, statistics.count(Counter.WAKEUPS), "two that end one selection are one");
        selector.wakeup();
        selector.selectNow();
        assertEquals(2, statistics.count(Counter.WAKEUPS));
        selector.selectNow();
        assertEquals(2, statistics.count(Counter.WAKEUPS));
    }

    @Test
    void interestThatIsTakenAwayWithoutASystemCallIsCounted() throws IOException {
        SelectionKey key = pipe.source().register(selector, SelectionKey.OP_READ);
        selector.selectNow();
        assertEquals(0, statistics.count(Counter.LAZY_DISARMS));
        for (int i = 1; i <= 3; i++) {
            key.interestOps(0);
            selector.selectNow();
            selector.selectNow();
            assertEquals(i, statistics.count(Counter.LAZY_DISARMS));
            key.interestOps(SelectionKey.OP_READ);
            selector.selectNow();
            assertEquals(i, statistics.count(Counter.LAZY_DISARMS));
        }
        assertEquals(1, statistics.count(Counter.CHANGES));
    }

    @Test
    void keysThatAreArmedForOneEventAreCounted() throws IOException {
        assumeTrue(((Loop) selector).mechanism().equals("epoll"), "not every mechanism has one-shot events");
        SelectionKey key = pipe.source().register(selector, SelectionKey.OP_READ);
        pipe.sink().write(ByteBuffer.allocate(1));
        selector.selectNow();
        key.interestOps(0);
        selector.selectNow(); // the event comes although nobody wants it: next time one event is enough
        assertEquals(0, statistics.count(Counter.ONE_SHOT_ARMINGS));
        key.interestOps(SelectionKey.OP_READ);
        selector.selectNow();
        assertEquals(1, statistics.count(Counter.ONE_SHOT_ARMINGS));
        selector.selectNow();
        assertEquals(1, statistics.count(Counter.ONE_SHOT_ARMINGS));
    }

    /** A newcomer looks there whether Pollux is on. */
    @Test
    void aSelectorIsNamedWithItsMechanismAndAFewNumbers() throws IOException {
        pipe.sink().write(ByteBuffer.allocate(1));
        pipe.source().register(selector, SelectionKey.OP_READ);
        selector.selectNow();
        selector.wakeup();
        selector.selectNow();
        assertTrue(selector.toString().matches("dev\\.pollux\\.internal\\.selector\\.PolluxSelector@[0-9a-f]+\\["
                + ((Loop) selector).mechanism() + ", 1 keys, 0 refused by the kernel, 2 selections, 1 ready keys,"
                + " 1 wakeups]"), selector.toString());
    }
}
