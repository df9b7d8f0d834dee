// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.selector;

import dev.pollux.internal.loop.WakeupGate;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZZZ_Result;

/** A waker and a wait: entered? taken by this selection? signalled? taken by the next? */
@JCStressTest
@Outcome(id = "false, true, false, false", expect = Expect.ACCEPTABLE, desc = "woken before the wait")
@Outcome(id = "true, true, true, false", expect = Expect.ACCEPTABLE, desc = "woken in the wait")
@Outcome(id = "true, false, false, true", expect = Expect.ACCEPTABLE, desc = "woken after the wait")
@Outcome(expect = Expect.FORBIDDEN, desc = "the wakeup is lost, or does not reach a thread that waits")
@State
public class WakeupOfWait {
    private final WakeupGate gate = new WakeupGate();

    @Actor
    public void wakeUp(ZZZZ_Result result) {
        int ticket = gate.wake();
        if (ticket != 0) {
            result.r3 = true;
            gate.signalled(ticket);
        }
    }

    @Actor
    public void select(ZZZZ_Result result) {
        result.r1 = gate.enter();
        result.r2 = gate.leave();
    }

    @Arbiter
    public void selectAgain(ZZZZ_Result result) {
        result.r4 = gate.leave();
    }
}
