// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.PolluxSelectorProvider;
import dev.pollux.internal.count.Counter;
import dev.pollux.internal.pollset.Awaitable;
import dev.pollux.internal.pollset.PollSet;
import dev.pollux.lab.Virtual;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** When a wait polls, once or for a while, or blocks, and when it is over. Source and waiter are the test's. */
class WaitStrategyTest {
    private static final long FOR_EVER = -1;
    private static final long AN_HOUR = 3_600_000_000_000L;

    /** How long each await of the source was asked to wait. */
    private final List<Long> asked = new ArrayList<>();

    /** What the source's awaits find; nothing when this is used up. */
    private final Deque<Integer> found = new ArrayDeque<>();

    /** What happened to the waiter. */
    private final List<String> steps = new ArrayList<>();
    private boolean woken;

    /** What happens while the source is asked. */
    private Runnable whileAwaiting = () -> { };

    private PollSet mechanism;

    @BeforeEach
    void open() throws IOException {
        new PolluxSelectorProvider().openSelector().close(); // starts up
        mechanism = PollSet.open(null);
    }

    @AfterEach
    void close() {
        mechanism.close();
    }

    private WaitStrategy strategy(long busyPoll) {
        return new WaitStrategy(mechanism, new Source(), new TestGate(), new AdaptiveBackoff(busyPoll));
    }

    @Test
    void aWaitOfNoTimePollsOnceWithoutPreparations() throws IOException {
        WaitStrategy strategy = strategy(0);
        strategy.begin(0, false);
        assertEquals(0, strategy.await());
        assertFalse(strategy.goesOn());
        assertEquals(List.of(0L), asked);
        assertEquals(List.of(), steps);
    }

    @Test
    void aWaitBlocksBetweenItsPreparations() throws IOException {
        found.add(3);
        WaitStrategy strategy = strategy(0);
        strategy.begin(FOR_EVER, false);
        assertEquals(3, strategy.await());
        assertEquals(List.of(FOR_EVER), asked);
        assertEquals(List.of("enter", "leave"), steps);
        assertEquals(1, mechanism.statistics().count(Counter.BLOCKED_WAITS));
    }

    @Test
    void aSignalEndsNoWait() throws IOException {
        found.add(Awaitable.INTERRUPTED);
        WaitStrategy strategy = strategy(0);
        strategy.begin(AN_HOUR, false);
        assertEquals(0, strategy.await());
        assertTrue(strategy.goesOn());
        strategy.await();
        assertEquals(AN_HOUR, asked.get(0));
        assertTrue(asked.get(1) > 0 && asked.get(1) < AN_HOUR, "the deadline is kept: " + asked);
    }

    @Test
    void aPollIsRepeatedAfterASignal() throws IOException {
        found.addAll(List.of(Awaitable.INTERRUPTED, 2));
        WaitStrategy strategy = strategy(0);
        strategy.begin(0, false);
        assertEquals(2, strategy.await());
    }

    @Test
    void aWakeupThatCameBeforeMakesItPollOnly() throws IOException {
        woken = true;
        WaitStrategy strategy = strategy(0);
        strategy.begin(FOR_EVER, false);
        strategy.await();
        assertFalse(strategy.goesOn());
        assertEquals(List.of(0L), asked);
        assertFalse(woken, "it was taken");
    }

    @Test
    void aThreadThatIsWokenBeforeItBlocksDoesNotBlock() throws IOException {
        WaitStrategy strategy = strategy(0);
        strategy.begin(FOR_EVER, false);
        woken = true;
        strategy.await();
        assertFalse(strategy.goesOn());
        assertEquals(List.of(0L), asked);
        assertEquals(0, mechanism.statistics().count(Counter.BLOCKED_WAITS));
    }

    @Test
    void aPollInVainIsFollowedByABlockedWait() throws IOException {
        WaitStrategy strategy = strategy(0);
        do { // until it is worthwhile to poll first
            asked.clear();
            strategy.begin(FOR_EVER, false);
            strategy.await();
        } while (asked.equals(List.of(FOR_EVER)));
        assertTrue(strategy.goesOn());
        strategy.await();
        assertEquals(List.of(0L, FOR_EVER), asked);
    }

    @Test
    void aWaitThatSpinsPollsUntilThereIsSomething() throws IOException {
        found.addAll(List.of(0, 0, 1));
        WaitStrategy strategy = strategy(AN_HOUR);
        strategy.begin(FOR_EVER, false);
        while (strategy.await() == 0) {
            assertTrue(strategy.goesOn());
        }
        assertEquals(List.of(0L, 0L, 0L), asked);
        assertEquals(List.of(), steps);
    }

    @Test
    void aWaitBlocksWhenItHasSpunInVain() throws IOException {
        WaitStrategy strategy = strategy(1);
        strategy.begin(FOR_EVER, false);
        while (!asked.contains(FOR_EVER)) {
            strategy.await();
            assertTrue(strategy.goesOn());
        }
        assertEquals(List.of("enter", "leave"), steps);
    }

    /** A substitute of its carrier ends after 30 s without work: JDK-8389671. */
    @Test
    void aVirtualThreadThatBlocksItsCarrierAsksForASubstituteAgainBeforeTheLastOneEnds() throws Exception {
        WaitStrategy strategy = strategy(0);
        assertTrue(Virtual.start(() -> {
            strategy.begin(FOR_EVER, false);
            strategy.await();
            return strategy.goesOn();
        }).get(20, TimeUnit.SECONDS), "the wait is not over");
        assertEquals(1, asked.size());
        assertTrue(asked.get(0) > 0 && asked.get(0) <= TimeUnit.SECONDS.toNanos(20), asked.toString());
    }

    @Test
    void aTimeoutEndsAWait() throws IOException {
        WaitStrategy strategy = strategy(0);
        strategy.begin(1, false);
        do {
            strategy.await();
        } while (strategy.goesOn());
        assertTrue(asked.size() >= 1, "it has looked at least once");
    }

    @Test
    void aThreadThatWasInterruptedDoesNotBlock() throws IOException {
        WaitStrategy strategy = strategy(0);
        strategy.begin(FOR_EVER, false);
        Thread.currentThread().interrupt();
        strategy.await();
        assertFalse(strategy.goesOn());
        assertEquals(List.of(0L), asked);
        assertTrue(Thread.interrupted(), "the status stays");
    }

    @Test
    void anInterruptReachesTheWaiterAndEndsTheWait() throws IOException {
        whileAwaiting = interruptOf(Thread.currentThread());
        WaitStrategy strategy = strategy(0);
        strategy.begin(FOR_EVER, false);
        strategy.await();
        assertFalse(strategy.goesOn());
        assertEquals(List.of("enter", "interrupt", "leave"), steps);
        assertTrue(Thread.interrupted(), "the status stays");
    }

    @Test
    void anInterruptThatWasDealtWithEndsNoWait() throws IOException {
        WaitStrategy strategy = strategy(0);
        strategy.begin(FOR_EVER, false);
        whileAwaiting = () -> {
            interruptOf(Thread.currentThread()).run();
            Thread.interrupted(); // as if the waiter heard of it only in the next wait
        };
        strategy.await();
        assertTrue(strategy.goesOn());
    }

    @Test
    void noInterruptReachesTheWaiterAfterTheWait() throws IOException {
        WaitStrategy strategy = strategy(0);
        strategy.begin(FOR_EVER, false);
        strategy.await();
        interruptOf(Thread.currentThread()).run();
        assertEquals(List.of("enter", "leave"), steps);
        assertTrue(Thread.interrupted());
    }

    private static Runnable interruptOf(Thread thread) {
        return () -> {
            Thread other = new Thread(thread::interrupt);
            other.start();
            boolean interrupted = false;
            while (other.isAlive()) {
                try {
                    other.join();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
            if (interrupted) {
                thread.interrupt();
            }
        };
    }

    private final class Source implements Awaitable {
        @Override
        public int await(long nanos) {
            asked.add(nanos);
            whileAwaiting.run();
            return found.isEmpty() ? 0 : found.remove();
        }

        @Override
        public int handle() {
            return -1;
        }
    }

    private final class TestGate extends WakeupGate {
        @Override
        public boolean isWoken() {
            return woken;
        }

        @Override
        public boolean enter() {
            steps.add("enter");
            return !woken;
        }

        @Override
        public boolean leave() {
            if (!steps.isEmpty()) {
                steps.add("leave");
            }
            boolean taken = woken;
            woken = false;
            return taken;
        }

        @Override
        public boolean isBlocked() {
            steps.add("interrupt"); // nothing else asks
            return false;
        }
    }
}
