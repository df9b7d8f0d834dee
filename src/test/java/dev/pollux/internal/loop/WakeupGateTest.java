// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.PolluxSelectorProvider;
import java.io.IOException;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A wakeup signals only if a thread is blocked, or about to be. */
class WakeupGateTest {
    private final WakeupGate gate = new WakeupGate();

    @BeforeAll
    static void start() throws IOException {
        new PolluxSelectorProvider().openSelector().close();
    }

    @Test
    void aWakeupThatNobodyWaitsForSignalsNothingAndIsKept() {
        assertEquals(0, gate.wake());
        assertTrue(gate.isWoken());
        assertFalse(gate.enter(), "a woken thread must not block");
        assertTrue(gate.leave());
        assertFalse(gate.isWoken());
    }

    @Test
    void aWakeupOfABlockedThreadSignals() {
        assertTrue(gate.enter());
        int ticket = gate.wake();
        assertNotEquals(0, ticket);
        gate.signalled(ticket);
        assertTrue(gate.leave());
        assertFalse(gate.leave(), "the wakeup is taken once");
    }

    @Test
    void oneSignalIsEnoughForManyWakeups() {
        gate.enter();
        gate.signalled(gate.wake());
        assertEquals(0, gate.wake());
        assertEquals(0, gate.wake());
    }

    @Test
    void aWakerThatBreaksOffBeforeItsSignalLeavesItToTheNext() {
        gate.enter();
        gate.wake();
        assertNotEquals(0, gate.wake());
    }

    @Test
    void aLateSignalOfAnEarlierWaitDoesNotSpeakForALaterOne() {
        gate.enter();
        int late = gate.wake();
        gate.leave();
        gate.enter();
        gate.wake();
        gate.signalled(late);
        assertNotEquals(0, gate.wake(), "nobody has signalled to this wait");
    }

    @Test
    void aWaitThatEndsByItselfWasNotWoken() {
        assertTrue(gate.enter());
        assertFalse(gate.leave());
        assertEquals(0, gate.wake(), "nobody is blocked any more");
    }
}
