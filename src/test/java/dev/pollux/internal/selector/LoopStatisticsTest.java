// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.selector;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.pollux.PolluxSelectorProvider;
import dev.pollux.internal.insight.Loop;
import dev.pollux.internal.insight.LoopStatistics;
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
        assertEquals(1, statistics.selections());
        assertEquals(0, statistics.ready());
        pipe.sink().write(ByteBuffer.allocate(1));
        selector.select();
        assertEquals(2, statistics.selections());
        assertEquals(1, statistics.ready());
    }

    @Test
    void aSelectNowBlocksNoWait() throws IOException {
        selector.selectNow();
        assertEquals(0, statistics.blockedWaits());
        selector.select(1);
        assertEquals(1, statistics.blockedWaits());
    }

    @Test
    void aWakeupThatNobodyWaitsForNeedsNoSystemCall() throws IOException {
        selector.wakeup();
        selector.select();
        assertEquals(0, statistics.wakeupCalls());
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
            if (statistics.wakeupCalls() == 0) {
                selector.wakeup();
            }
            selecting.join(1);
        }
        assertTrue(statistics.wakeupCalls() <= 1, statistics.toString());
    }

    @Test
    void whatTheMechanismIsToldIsCounted() throws IOException {
        SelectionKey key = pipe.source().register(selector, SelectionKey.OP_READ);
        assertEquals(0, statistics.changes(), "it is told by the next selection");
        selector.selectNow();
        assertEquals(1, statistics.changes());
        key.interestOps(0);
        selector.selectNow();
        assertEquals(1, statistics.changes(), "interest in reading is taken away lazily");
        key.cancel();
        selector.selectNow();
        assertEquals(2, statistics.changes());
        assertEquals(0, statistics.refusals());
        assertEquals(0, statistics.outOfBandBytes());
    }

    @Test
    void theTimeOfWaitsThatBlockIsCountedAndNoOther() throws Exception {
        selector.select(50);
        long blocked = statistics.blockedNanos();
        assertTrue(blocked >= MILLISECONDS.toNanos(50), "blocked for " + blocked);
        Thread.sleep(20);
        selector.selectNow();
        assertEquals(blocked, statistics.blockedNanos());
        assertTrue(statistics.elapsedNanos() >= blocked + MILLISECONDS.toNanos(20));
    }

    @Test
    void aLoopIsBusyFromOneWaitToTheNext() throws Exception {
        selector.select(50);
        long blocked = statistics.blockedNanos();
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

    /** The handler runs before that selection returns. */
    @Test
    void aSlowHandlerOfTheFirstSelectionIsPartOfTheStretch() throws Exception {
        pipe.source().register(selector, SelectionKey.OP_READ);
        pipe.sink().write(ByteBuffer.allocate(1));
        assertEquals(1, selector.selectNow(key -> LockSupport.parkNanos(MILLISECONDS.toNanos(30))));
        selector.select(1);
        assertTrue(statistics.longestBusyNanos() >= MILLISECONDS.toNanos(20), "a park may end early");
    }

    @Test
    void wakeupsThatSelectionsTakeAreCounted() throws IOException {
        selector.selectNow();
        assertEquals(0, statistics.wakeups());
        selector.wakeup().wakeup();
        selector.select();
        assertEquals(1, statistics.wakeups(), "two that end one selection are one");
        selector.wakeup();
        selector.selectNow();
        assertEquals(2, statistics.wakeups());
        selector.selectNow();
        assertEquals(2, statistics.wakeups());
    }

    @Test
    void interestThatIsTakenAwayWithoutASystemCallIsCounted() throws IOException {
        SelectionKey key = pipe.source().register(selector, SelectionKey.OP_READ);
        selector.selectNow();
        assertEquals(0, statistics.lazyDisarms());
        for (int i = 1; i <= 3; i++) {
            key.interestOps(0);
            selector.selectNow();
            selector.selectNow();
            assertEquals(i, statistics.lazyDisarms());
            key.interestOps(SelectionKey.OP_READ);
            selector.selectNow();
            assertEquals(i, statistics.lazyDisarms());
        }
        assertEquals(1, statistics.changes());
    }

    @Test
    void keysThatAreArmedForOneEventAreCounted() throws IOException {
        assumeTrue(((Loop) selector).mechanism().equals("epoll"), "not every mechanism has one-shot events");
        SelectionKey key = pipe.source().register(selector, SelectionKey.OP_READ);
        pipe.sink().write(ByteBuffer.allocate(1));
        selector.selectNow();
        key.interestOps(0);
        selector.selectNow(); // the event comes although nobody wants it: next time one event is enough
        assertEquals(0, statistics.oneShotArmings());
        key.interestOps(SelectionKey.OP_READ);
        selector.selectNow();
        assertEquals(1, statistics.oneShotArmings());
        selector.selectNow();
        assertEquals(1, statistics.oneShotArmings());
    }

    @Test
    void theSelectorTellsItsCounters() throws IOException {
        selector.selectNow();
        assertTrue(selector.toString().contains(statistics.toString()), selector.toString());
    }
}
