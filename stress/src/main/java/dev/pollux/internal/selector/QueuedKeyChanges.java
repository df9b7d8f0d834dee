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

/** A key that is in the queue changes again while the queue is drained. Some drain reads the last interest. */
@JCStressTest
@Outcome(id = "1, 0", expect = Expect.ACCEPTABLE, desc = "the drain read the change")
@Outcome(id = "0, 1", expect = Expect.ACCEPTABLE, desc = "the next drain read it")
@Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "both did")
@Outcome(expect = Expect.FORBIDDEN, desc = "the change is lost")
@State
public class QueuedKeyChanges {
    private final UpdateQueue queue = new UpdateQueue();
    private final SelectionKeyImpl key = Keys.newKey();
    private volatile int interest;
    private int read;

    public QueuedKeyChanges() {
        queue.add(key);
    }

    @Actor
    public void change() {
        interest = 1;
        queue.add(key);
    }

    @Actor
    public void drain(II_Result result) {
        result.r1 = drain();
    }

    @Arbiter
    public void drainAgain(II_Result result) {
        result.r2 = drain();
    }

    private int drain() {
        read = 0;
        queue.drain(each -> read = interest);
        return read;
    }
}
