// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.ring;

import dev.pollux.Poller;
import java.io.IOException;

/** Waits in a {@link Poller}. Used by one thread; allocates nothing once it is made. */
final class PollerRing extends Ring {
    private final Poller poller = new Poller();
    private final Poller.Member[] sinks;
    /** A field, so that an await allocates nothing. */
    private final Poller.Handler ready = (member, events) -> handle((Integer) member.attachment());

    PollerRing(int count, int tokens) throws IOException {
        super(count, tokens);
        sinks = new Poller.Member[count];
        for (int i = 0; i < count; i++) {
            poller.add(pipes[i].source(), Poller.POLLIN, 2 * i);
            sinks[i] = poller.add(pipes[i].sink(), 0, 2 * i + 1);
        }
    }

    @Override
    void watch(int pipe, boolean on) throws IOException {
        sinks[pipe].modify(on ? Poller.POLLOUT : 0);
    }

    @Override
    void await() throws IOException {
        poller.await(ready, Poller.FOREVER);
    }

    @Override
    public void close() throws IOException {
        poller.close();
        super.close();
    }
}
