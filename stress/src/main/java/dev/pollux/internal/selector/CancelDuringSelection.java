// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.selector;

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
import org.openjdk.jcstress.infra.results.I_Result;

/** A key is cancelled while a selection looks for cancelled keys. The next selection at the latest deregisters it. */
@JCStressTest
@Outcome(id = "0", expect = Expect.ACCEPTABLE, desc = "deregistered")
@Outcome(expect = Expect.FORBIDDEN, desc = "nobody knows that the key is cancelled")
@State
public class CancelDuringSelection {
    private final Selector selector = Selectors.open();
    private final SocketChannel channel = Selectors.channel();
    private final SelectionKey key = Selectors.register(channel, selector, 0);
    private final SocketChannel another = Selectors.channel();
    private final Meeting meeting = new Meeting();

    public CancelDuringSelection() {
        Selectors.register(another, selector, 0).cancel(); // so that the selection has a key to deregister
    }

    @Actor
    public void cancel() {
        meeting.await();
        key.cancel();
    }

    @Actor
    public void select() {
        meeting.begin();
        Selectors.select(selector, 0);
    }

    @Arbiter
    public void selectAgain(I_Result result) {
        Selectors.select(selector, 0);
        result.r1 = selector.keys().size();
        Selectors.close(selector, channel, another);
    }
}
