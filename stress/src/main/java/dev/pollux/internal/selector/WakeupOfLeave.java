// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.selector;

import dev.pollux.internal.loop.WakeupGate;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** A waker comes while a selection leaves its wait. Either this selection takes the wakeup or the next one does. */
@JCStressTest
@Outcome(id = "true, false", expect = Expect.ACCEPTABLE, desc = "taken by this selection")
@Outcome(id = "false, true", expect = Expect.ACCEPTABLE, desc = "taken by the next one")
@Outcome(expect = Expect.FORBIDDEN, desc = "the wakeup is lost, or taken twice")
@State
public class WakeupOfLeave {
    private final WakeupGate gate = new WakeupGate();

    public WakeupOfLeave() {
        gate.enter();
    }

    @Actor
    public void wakeUp() {
        gate.wake();
    }

    @Actor
    public void select(ZZ_Result result) {
        result.r1 = gate.leave();
    }

    @Arbiter
    public void selectAgain(ZZ_Result result) {
        result.r2 = gate.leave();
    }
}
