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

/** An interrupt and a wait: did it signal? did the wait see the status before it blocked? woken, by the gate? */
@JCStressTest
@Outcome(id = "true, false, false", expect = Expect.ACCEPTABLE, desc = "the interrupt ends the wait")
@Outcome(id = "false, true, false", expect = Expect.ACCEPTABLE, desc = "the wait did not begin")
@Outcome(id = "true, true, false", expect = Expect.ACCEPTABLE, desc = "both")
@Outcome(expect = Expect.FORBIDDEN, desc = "a thread that was interrupted blocks, or the interrupt counts as a wakeup")
@State
public class InterruptOfWait {
    private final WakeupGate gate = new WakeupGate();
    private volatile boolean status;

    @Actor
    public void interrupt(ZZZ_Result result) {
        status = true;
        result.r1 = gate.isBlocked();
    }

    @Actor
    public void select(ZZZ_Result result) {
        gate.enter();
        result.r2 = status;
    }

    @Arbiter
    public void selectAgain(ZZZ_Result result) {
        result.r3 = gate.leave();
    }
}
