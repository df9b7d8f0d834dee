// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.selector;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;
import sun.nio.ch.SelectionKeyImpl;

/**
 * A thread changes a key and then selects, while another thread queues the same key. The selection finds the key in the
 * queue, whichever thread has put it there.
 */
@JCStressTest
@Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "the selection read the change")
@Outcome(expect = Expect.FORBIDDEN, desc = "the selection went on without it")
@State
public class ChangeBeforeSelection {
    private final UpdateQueue queue = new UpdateQueue();
    private final SelectionKeyImpl key = Keys.newKey();
    private int interest;
    private int read;

    @Actor
    public void queue() {
        queue.add(key);
    }

    @Actor
    public void changeAndSelect(I_Result result) {
        interest = 1;
        queue.add(key);
        if (!queue.isEmpty()) {
            queue.drain(each -> read = interest);
        }
        result.r1 = read;
    }
}
