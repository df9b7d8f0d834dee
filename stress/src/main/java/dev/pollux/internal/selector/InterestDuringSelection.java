// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.selector;

import dev.pollux.internal.pollset.PollSet;
import dev.pollux.stress.Meeting;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import sun.nio.ch.SelectionKeyImpl;

/** Interest changes while a selection tells the mechanism, which hears of it from that selection or the next. */
@JCStressTest
@Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "this selection told the mechanism")
@Outcome(id = "0, 1", expect = Expect.ACCEPTABLE, desc = "the next one did")
@Outcome(expect = Expect.FORBIDDEN, desc = "the change is lost")
@State
public class InterestDuringSelection {
    private final Selector selector = Selectors.open();
    private final SocketChannel channel = Selectors.channel();
    private final SelectionKey key = Selectors.register(channel, selector, SelectionKey.OP_CONNECT);

    private final Meeting meeting = new Meeting();

    @Actor
    public void change() {
        meeting.await();
        key.interestOpsOr(SelectionKey.OP_READ);
    }

    @Actor
    public void select(II_Result result) {
        meeting.begin();
        result.r1 = select();
    }

    @Arbiter
    public void selectAgain(II_Result result) {
        result.r2 = select();
        Selectors.close(selector, channel);
    }

    private int select() {
        Selectors.select(selector, 0);
        return (KeyState.asked(KeyState.of((SelectionKeyImpl) key)) & PollSet.IN) != 0 ? 1 : 0;
    }
}
