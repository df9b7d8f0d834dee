// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.selector;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;
import sun.nio.ch.SelectionKeyImpl;

/** Two threads change one key. It is in the queue once. */
@JCStressTest
@Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "queued once")
@Outcome(expect = Expect.FORBIDDEN, desc = "lost, or queued twice")
@State
public class TwoThreadsQueueOneKey {
    private final UpdateQueue queue = new UpdateQueue();
    private final SelectionKeyImpl key = Keys.newKey();
    private int drained;

    @Actor
    public void change() {
        queue.add(key);
    }

    @Actor
    public void changeToo() {
        queue.add(key);
    }

    @Arbiter
    public void drain(I_Result result) {
        queue.drain(each -> drained++);
        result.r1 = drained;
    }
}
