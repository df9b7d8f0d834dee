// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.selector;

import dev.pollux.internal.loop.WakeupGate;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * Two wakers of one wait. None returns before a signal was given, by itself or by the other, which could break off.
 * For each: 2 it has signalled, 1 it found the signal given, 0 it relied on a signal that is yet to be given.
 */
@JCStressTest
@Outcome(id = {"2, 1", "1, 2"}, expect = Expect.ACCEPTABLE, desc = "one came after the other's signal")
@Outcome(id = "2, 2", expect = Expect.ACCEPTABLE, desc = "both signalled")
@Outcome(expect = Expect.FORBIDDEN, desc = "a waker relied on one that may break off")
@State
public class WakersOfWait {
    private final WakeupGate gate = new WakeupGate();
    private volatile boolean signalled;

    public WakersOfWait() {
        gate.enter();
    }

    @Actor
    public void wakeUp(II_Result result) {
        result.r1 = wakeUp();
    }

    @Actor
    public void wakeUpToo(II_Result result) {
        result.r2 = wakeUp();
    }

    private int wakeUp() {
        int ticket = gate.wake();
        if (ticket == 0) {
            return signalled ? 1 : 0;
        }
        signalled = true;
        gate.signalled(ticket);
        return 2;
    }
}
