// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.poller;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/** Two threads look for two one-shot members that are ready, one at a time. Each member is given to one of them. */
@JCStressTest
@Outcome(id = {"1, 2, 0", "2, 1, 0"}, expect = Expect.ACCEPTABLE, desc = "each thread was given one")
@Outcome(id = {"0, 1, 2", "0, 2, 1", "1, 0, 2", "2, 0, 1"}, expect = Expect.ACCEPTABLE, desc = "one is left")
@Outcome(expect = Expect.FORBIDDEN, desc = "a member is lost, or was given to both")
@State
public class OneShotMembers {
    private final ReadyPoller poller = new ReadyPoller(2);

    @Actor
    public void look(III_Result result) {
        result.r1 = poller.await(0);
    }

    @Actor
    public void lookToo(III_Result result) {
        result.r2 = poller.await(0);
    }

    @Arbiter
    public void lookForTheRest(III_Result result) {
        result.r3 = poller.awaitRest();
        poller.close();
    }
}
