// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.selector;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import sun.nio.ch.SelectionKeyImpl;

/** Two threads change a key each. Neither change is lost. */
@JCStressTest
@Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "both are queued")
@Outcome(expect = Expect.FORBIDDEN, desc = "one is lost, or queued twice")
@State
public class TwoThreadsQueueTwoKeys {
    private final UpdateQueue queue = new UpdateQueue();
    private final SelectionKeyImpl one = Keys.newKey();
    private final SelectionKeyImpl two = Keys.newKey();
    private int ones;
    private int twos;

    @Actor
    public void change() {
        queue.add(one);
    }

    @Actor
    public void changeAnother() {
        queue.add(two);
    }

    @Arbiter
    public void drain(II_Result result) {
        queue.drain(each -> {
            ones += each == one ? 1 : 0;
            twos += each == two ? 1 : 0;
        });
        result.r1 = ones;
        result.r2 = twos;
    }
}
