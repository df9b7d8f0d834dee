// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.pollux.PolluxSelectorProvider;
import dev.pollux.internal.jdk.VirtualThreads;
import dev.pollux.internal.pollset.PollSet;
import dev.pollux.lab.Virtual;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** When virtual threads block their carriers, and unpark each other. No other test that counts waits runs now. */
class VirtualWaitTest {
    /** Shorter than a period in which waits are counted, so at most one of these ends meanwhile. */
    private static final long MOMENT_NANOS = TimeUnit.MILLISECONDS.toNanos(8);

    private static final long LATER_MILLIS = 100;
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(20);

    @BeforeEach
    void needsThreadsThatPark() throws Exception {
        new PolluxSelectorProvider().openSelector().close(); // starts up
        assumeTrue(VirtualThreads.canPark(), "this JDK does not let a thread that selects leave its carrier");
        Virtual.startPollers();
        Thread.sleep(LATER_MILLIS); // what waited before is forgotten
    }

    @Test
    void asManyAsProcessorsMayBlockTheirCarriers() throws Exception {
        assumeTrue(VirtualThreads.processors() > 1, "one alone never blocks its carrier");
        assertTrue(inVirtualThread(() -> {
            List<VirtualWait> waits = waits(2);
            long deadline = System.nanoTime() + PATIENCE_NANOS;
            while (count(waits) == 0 && System.nanoTime() < deadline) {
                Thread.sleep(1); // another carrier is busy still
            }
            return System.nanoTime() < deadline;
        }));
    }

    @Test
    void moreThanProcessorsDoNotBlockTheirCarriers() throws Exception {
        assertEquals(0, inVirtualThread(() -> count(waits(VirtualThreads.processors() + 1))));
    }

    @Test
    void asManyAsProcessorsAreUnparked() throws Exception {
        assertTrue(inVirtualThread(() -> isUnparked(waits(1))));
    }

    @Test
    void moreThanProcessorsAreWokenBySignals() throws Exception {
        assertFalse(inVirtualThread(() -> isUnparked(waits(VirtualThreads.processors() + 1))));
    }

    @Test
    void aThreadThatWasWokenWhileItYieldedKnows() throws Exception {
        assertTrue(inVirtualThread(() -> {
            WakeupGate gate = new WakeupGate();
            gate.wake();
            return withAnnounced(wait -> wait.yieldFirst(gate));
        }));
    }

    @Test
    void aThreadThatHasYieldedForNothingDoesNotYieldNextTime() throws Exception {
        assertFalse(inVirtualThread(() -> {
            WakeupGate gate = new WakeupGate();
            return withAnnounced(wait -> {
                boolean first = wait.yieldFirst(gate);
                gate.wake();
                return first || wait.yieldFirst(gate);
            });
        }));
    }

    /** Else virtual threads that wake each other would keep a carrier to themselves. */
    @Test
    void aThreadThatWasUnparkedOftenParksOnceInstead() throws Exception {
        assertFalse(inVirtualThread(() -> {
            WakeupGate gate = new WakeupGate();
            gate.wake();
            return withAnnounced(wait -> {
                for (int i = 0; i < 256; i++) {
                    assertTrue(wait.unpark());
                }
                return wait.yieldFirst(gate);
            });
        }));
    }

    private static <T> T inVirtualThread(Callable<T> body) throws Exception {
        return Virtual.start(body).get(2 * PATIENCE_NANOS, TimeUnit.NANOSECONDS);
    }

    private static List<VirtualWait> waits(int active) {
        return Stream.generate(VirtualWait::new).limit(active).toList();
    }

    /** How many of them may block, when all are known to be active. */
    private static int count(List<VirtualWait> waits) {
        int blocking;
        long begun;
        do {
            begun = System.nanoTime();
            countOnce(waits);
            countOnce(waits); // a period may have ended in between
            blocking = countOnce(waits);
        } while (System.nanoTime() - begun > MOMENT_NANOS);
        return blocking;
    }

    private static int countOnce(List<VirtualWait> waits) {
        int blocking = 0;
        for (VirtualWait each : waits) {
            if (each.beginBlocking() != 0) {
                each.endBlocking(true);
                blocking++;
            }
        }
        return blocking;
    }

    private static boolean isUnparked(List<VirtualWait> waits) throws Exception {
        return withAnnounced(waits, VirtualWait::unpark);
    }

    private static boolean withAnnounced(Predicate<VirtualWait> body) throws Exception {
        return withAnnounced(waits(1), body);
    }

    /** Has the first of these be announced meanwhile, if that is possible. */
    private static boolean withAnnounced(List<VirtualWait> waits, Predicate<VirtualWait> body) throws Exception {
        PollSet set = PollSet.open("epoll");
        try {
            VirtualWait wait = waits.get(0);
            wait.park(set.handle(), 1); // the first of all is never unparked
            count(waits);
            wait.announce();
            boolean result = body.test(wait);
            wait.retract();
            return result;
        } finally {
            set.close();
        }
    }
}
