// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.pollux.PolluxSelectorProvider;
import dev.pollux.internal.count.Counter;
import dev.pollux.internal.pollset.PollSet;
import dev.pollux.lab.Descriptors;
import java.io.IOException;
import java.lang.ref.Reference;
import java.lang.ref.WeakReference;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is told of a gate to one who looks for a lost wakeup, on epoll, where the kernel counts all signals. */
class GateDescriptionTest {
    private static final long FOR_EVER = -1;
    private static final String SELF = "; woken last by thread \"" + Thread.currentThread().getName() + '"';

    private final WakeupGate gate = new WakeupGate();
    private PollSet mechanism;
    private WaitStrategy waiting;

    @BeforeEach
    void open() throws IOException {
        assumeTrue(Descriptors.PROC, "nothing tells what the kernel has counted here");
        new PolluxSelectorProvider().openSelector().close(); // starts up
        mechanism = PollSet.open("epoll");
        waiting = new WaitStrategy(mechanism, mechanism, gate, new AdaptiveBackoff(0));
    }

    @AfterEach
    void close() {
        mechanism.close();
    }

    /** In a thread that waits until it is woken. */
    private Thread startWaiting() throws InterruptedException {
        Thread thread = new Thread(() -> {
            waiting.begin(FOR_EVER, false);
            try {
                waiting.await();
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        });
        thread.start();
        while (!mechanism.statistics().isWaiting() || !gate.isBlocked()) {
            assertTrue(thread.isAlive());
            Thread.sleep(1);
        }
        return thread;
    }

    @Test
    void anIdleGateKeepsTheNextWakeup() {
        assertEquals("idle: the next wakeup is kept, without a signal; never woken; "
                + "signals: 0 sent, 0 counted by the kernel", gate.describe(mechanism));
        gate.wake(waiting);
        assertEquals("woken: the next wait returns at once" + SELF + "; signals: 0 sent, 0 counted by the kernel",
                gate.describe(mechanism));
    }

    @Test
    void aWakeupOfABlockedThreadIsSignalledAndCountedByTheKernel() throws Exception {
        Thread thread = startWaiting();
        assertEquals("blocked: the next wakeup signals; never woken; signals: 0 sent, 0 counted by the kernel",
                gate.describe(mechanism));
        gate.wake(waiting);
        thread.join();
        assertEquals("idle: the next wakeup is kept, without a signal" + SELF
                + "; signals: 1 sent, 1 counted by the kernel", gate.describe(mechanism));
    }

    /** All that a waker does, but the write to the eventfd. */
    @Test
    void aSignalThatIsLostIsSeen() throws Exception {
        Thread thread = startWaiting();
        int ticket = gate.wake();
        mechanism.statistics().add(Counter.WAKEUP_CALLS, 1);
        gate.signalled(ticket);
        assertEquals("woken: the signal was sent, and the thread has not come out of its wait" + SELF
                + "; signals: 1 sent, 0 counted by the kernel: 1 lost", gate.describe(mechanism));
        mechanism.wakeup();
        thread.join();
    }

    @Test
    void aWakerThatBreaksOffBeforeItsSignalIsSeen() throws Exception {
        Thread thread = startWaiting();
        gate.wake();
        assertEquals("being signalled: a waker has not finished its signal" + SELF
                + "; signals: 0 sent, 0 counted by the kernel", gate.describe(mechanism));
        gate.wake(waiting); // the next one signals
        thread.join();
        assertTrue(gate.describe(mechanism).endsWith("signals: 1 sent, 1 counted by the kernel"));
    }

    @Test
    void aSetThatReplacesAnotherHasCountedNothing() throws IOException {
        mechanism.wakeup();
        mechanism.reopen();
        assertEquals("signals: 1 sent, 0 counted by the kernel since its object was replaced",
                mechanism.describeSignals());
        mechanism.wakeup();
        assertEquals("signals: 2 sent, 1 counted by the kernel since its object was replaced",
                mechanism.describeSignals());
    }

    @Test
    void ofAMechanismThatTakesItsSignalsTheLastIsTold() throws IOException {
        try (PollSet poll = PollSet.open("poll")) {
            assertEquals("signals: 0 sent, none in the kernel", poll.describeSignals());
            poll.wakeup();
            assertEquals("signals: 1 sent, the last still in the kernel", poll.describeSignals());
            poll.await(0);
            assertEquals("signals: 1 sent, none in the kernel", poll.describeSignals());
        }
    }

    @Test
    void aSetThatIsClosedTellsOfNoKernel() {
        mechanism.close();
        assertEquals("signals: 0 sent", mechanism.describeSignals());
    }

    @Test
    void whoWokeLastIsNotKeptAlive() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        Thread waker = new Thread(() -> {
            gate.wake(waiting);
            try {
                end.await();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }, "the\nwaker");
        waker.start();
        while (!gate.isWoken()) {
            Thread.sleep(1);
        }
        assertTrue(gate.describe(mechanism).contains("; woken last by thread \"the\\u000awaker\"; "));
        end.countDown();
        waker.join();
        assertTrue(gate.describe(mechanism).contains("(ended or virtual)"), gate.describe(mechanism));
        WeakReference<Thread> reference = new WeakReference<>(waker);
        waker = null;
        while (reference.get() != null) {
            System.gc();
        }
        Reference.reachabilityFence(gate);
    }
}
