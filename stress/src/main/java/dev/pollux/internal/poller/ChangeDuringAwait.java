// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.poller;

import dev.pollux.stress.Meeting;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** A member that is ready is enabled while a thread waits. The thread is given it. */
@JCStressTest
@Outcome(id = "1, 0", expect = Expect.ACCEPTABLE, desc = "the change took effect in the wait, or before")
@Outcome(expect = Expect.FORBIDDEN, desc = "the thread waits in vain, or is given the member twice")
@State
public class ChangeDuringAwait {
    private final ReadyPoller poller = new ReadyPoller(1);
    private final Meeting meeting = new Meeting();

    public ChangeDuringAwait() {
        poller.await(0); // which disables the member
    }

    @Actor
    public void enable() {
        meeting.await();
        poller.enable();
    }

    @Actor
    public void await(II_Result result) {
        meeting.begin();
        result.r1 = poller.await(ReadyPoller.FOR_EVER);
    }

    @Arbiter
    public void lookForTheRest(II_Result result) {
        result.r2 = poller.awaitRest();
        poller.close();
    }
}
