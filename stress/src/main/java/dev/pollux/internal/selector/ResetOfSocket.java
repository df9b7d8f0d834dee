// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.selector;

import dev.pollux.internal.jdk.SelectionKeyFields;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import sun.nio.ch.SelectionKeyImpl;

/**
 * A channel replaces its socket once more, and resets its key, while a selection deals with the first reset. The last
 * socket is registered in the end.
 */
@JCStressTest
@Outcome(id = "2, 0", expect = Expect.ACCEPTABLE, desc = "this selection registered the last socket")
@Outcome(id = "1, 2", expect = Expect.ACCEPTABLE, desc = "the next one did")
@Outcome(id = "2, 2", expect = Expect.ACCEPTABLE, desc = "both did")
@Outcome(expect = Expect.FORBIDDEN, desc = "the last socket is not registered")
@State
public class ResetOfSocket {
    private final UpdateQueue queue = new UpdateQueue();
    private final SelectionKeyImpl key = Keys.newKey();
    private volatile int socket = 1;
    private int registered;

    public ResetOfSocket() {
        Keys.reset(key);
        queue.add(key);
    }

    @Actor
    public void replaceSocket() {
        socket = 2;
        Keys.reset(key);
        queue.add(key);
    }

    @Actor
    public void select(II_Result result) {
        result.r1 = drain();
    }

    @Arbiter
    public void selectAgain(II_Result result) {
        result.r2 = drain();
    }

    private int drain() {
        registered = 0;
        queue.drain(each -> {
            if (SelectionKeyFields.getAndClearReset(each)) {
                registered = socket;
            }
        });
        return registered;
    }
}
