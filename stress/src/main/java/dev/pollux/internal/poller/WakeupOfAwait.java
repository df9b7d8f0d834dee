// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.poller;

import dev.pollux.stress.Meeting;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** A wakeup that comes before, during or after a wait ends that await or the next, and only one of the two. */
@JCStressTest
@Outcome(id = "true, false", expect = Expect.ACCEPTABLE, desc = "the wakeup ended the await")
@Outcome(expect = Expect.FORBIDDEN, desc = "the wakeup is lost, or was taken twice")
@State
public class WakeupOfAwait {
    private final ReadyPoller poller = new ReadyPoller(0);
    private final Meeting meeting = new Meeting();

    @Actor
    public void wakeUp() {
        meeting.await();
        poller.wakeUp();
    }

    @Actor
    public void await(ZZ_Result result) {
        meeting.begin();
        result.r1 = poller.isWoken(ReadyPoller.FOR_EVER);
    }

    @Arbiter
    public void awaitAgain(ZZ_Result result) {
        result.r2 = poller.isWoken(1);
        poller.close();
    }
}
