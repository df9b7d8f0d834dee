// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.selector;

import dev.pollux.internal.loop.WakeupGate;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IZ_Result;

/**
 * A waker finds the selector woken already. The selection that takes the wakeups sees what the waker did before, or the
 * next selection takes its wakeup.
 */
@JCStressTest
@Outcome(id = "1, false", expect = Expect.ACCEPTABLE, desc = "this selection saw what the waker did")
@Outcome(id = "0, true", expect = Expect.ACCEPTABLE, desc = "the next one will")
@Outcome(id = "1, true", expect = Expect.ACCEPTABLE, desc = "both will")
@Outcome(expect = Expect.FORBIDDEN, desc = "what the waker did goes unseen")
@State
public class WakeupOfWoken {
    private final WakeupGate gate = new WakeupGate();
    private int task;

    public WakeupOfWoken() {
        gate.wake();
    }

    @Actor
    public void wakeUp() {
        task = 1;
        gate.wake();
    }

    @Actor
    public void select(IZ_Result result) {
        gate.leave();
        result.r1 = task;
    }

    @Arbiter
    public void selectAgain(IZ_Result result) {
        result.r2 = gate.leave();
    }
}
