// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.selector;

import dev.pollux.stress.Meeting;
import java.nio.channels.Selector;
import java.util.concurrent.TimeUnit;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** A wakeup that comes before, during or after a wait ends that selection or the next, and only one of the two. */
@JCStressTest
@Outcome(id = "true, false", expect = Expect.ACCEPTABLE, desc = "the wakeup ended the selection")
@Outcome(expect = Expect.FORBIDDEN, desc = "the wakeup is lost, or was taken twice")
@State
public class WakeupOfSelection {
    /** Longer than any machine keeps a thread from running. The first wakeup that is lost costs as much. */
    private static final long FOR_EVER = 20_000;

    private static volatile boolean lost;

    private final Selector selector = Selectors.open();
    private final Meeting meeting = new Meeting();

    @Actor
    public void wakeUp() {
        meeting.await();
        selector.wakeup();
    }

    @Actor
    public void select(ZZ_Result result) {
        meeting.begin();
        result.r1 = isWoken(lost ? 1 : FOR_EVER);
        lost |= !result.r1;
    }

    @Arbiter
    public void selectAgain(ZZ_Result result) {
        result.r2 = isWoken(1);
        Selectors.close(selector);
    }

    /** Whether a selection ends before its time is over; there is nothing in it that could be ready. */
    private boolean isWoken(long millis) {
        long start = System.nanoTime();
        Selectors.select(selector, millis);
        return System.nanoTime() - start < TimeUnit.MILLISECONDS.toNanos(millis);
    }
}
