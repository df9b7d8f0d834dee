// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.selector;

import dev.pollux.internal.loop.WakeupGate;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZZ_Result;

/**
 * A waker finishes its signal when the wait that it was for is over, a second wait has begun, and the waker of that one
 * has broken off. Taken by the first wait? Did the second begin? Does the next waker signal?
 */
@JCStressTest
@Outcome(id = "true, true, true", expect = Expect.ACCEPTABLE, desc = "woken in the first wait")
@Outcome(id = "false, false, false", expect = Expect.ACCEPTABLE, desc = "woken between the two waits")
@Outcome(id = "false, true, false", expect = Expect.ACCEPTABLE, desc = "woken in the second wait, and signalled")
@Outcome(expect = Expect.FORBIDDEN, desc = "nobody signals to the second wait")
@State
public class WakerOfEarlierWait {
    private final WakeupGate gate = new WakeupGate();

    public WakerOfEarlierWait() {
        gate.enter();
    }

    @Actor
    public void wakeUp() {
        int ticket = gate.wake();
        if (ticket != 0) {
            gate.signalled(ticket);
        }
    }

    @Actor
    public void waitAgain(ZZZ_Result result) {
        result.r1 = gate.leave();
        result.r2 = gate.enter();
        gate.wake(); // and breaks off
    }

    @Arbiter
    public void wakeUpOnceMore(ZZZ_Result result) {
        result.r3 = gate.wake() != 0;
    }
}
