// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.poller;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/** Two threads wait for two one-shot members that are ready. Whoever leads wakes the other, and each is given one. */
@JCStressTest
@Outcome(id = {"1, 2, 0", "2, 1, 0"}, expect = Expect.ACCEPTABLE, desc = "each thread was given one")
@Outcome(expect = Expect.FORBIDDEN, desc = "a thread waits in vain, or a member was given to both")
@State
public class WaitingThreads {
    private final ReadyPoller poller = new ReadyPoller(2);

    @Actor
    public void await(III_Result result) {
        result.r1 = poller.await(ReadyPoller.FOR_EVER);
    }

    @Actor
    public void awaitToo(III_Result result) {
        result.r2 = poller.await(ReadyPoller.FOR_EVER);
    }

    @Arbiter
    public void lookForTheRest(III_Result result) {
        result.r3 = poller.awaitRest();
        poller.close();
    }
}
