// SPDX-License-Identifier: Apache-2.0
package dev.pollux.soak;

import dev.pollux.Poller;
import dev.pollux.lab.Io;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.Pipe;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Pipes are added to a Poller, as channels and as numbers, reported, removed and closed; under storms of wakeups. */
final class PollerMembers extends Scenario {
    private static final int AWAITING = 2;
    private static final int CHURNING = 3;
    private static final int STORM = 100;

    private Poller poller;

    PollerMembers(Site site) {
        super(site);
    }

    private record Reader(Pipe.SourceChannel source, Semaphore reported) {
    }

    @Override
    void start() throws Exception {
        poller = poller();
        for (int i = 0; i < AWAITING; i++) {
            serve("await " + i, this::await);
        }
        if (Site.JDK >= 21) {
            serveVirtually(this::await);
        }
        for (int i = 0; i < CHURNING; i++) {
            Flow flow = flow("pipes " + i);
            drive("pipes " + i, () -> {
                while (!isStopping()) {
                    once();
                    tally.exchanges.increment();
                    flow.beat();
                }
            });
        }
        serve("storm", this::storm);
    }

    private void await() throws Exception {
        while (!isClosing()) {
            poller.await(this::ready);
            pause();
        }
    }

    private void ready(Poller.Member member, int events) throws IOException {
        tally.events.increment();
        Reader reader = (Reader) member.attachment();
        try {
            if (reader.source.read(ByteBuffer.allocate(2)) == 1) {
                reader.reported.release();
            }
        } catch (ClosedChannelException e) {
            tally.expected.increment(); // another thread was given it too, and it is over already
        }
    }

    private void once() throws Exception {
        Pipe pipe = pipe();
        Reader reader = new Reader(pipe.source(), new Semaphore(0));
        boolean early = oneIn(2);
        if (early) {
            Io.feed(pipe);
        }
        boolean number = oneIn(2);
        Poller.Member member = number ? addNumber(reader) : poller.add(reader.source, events(), reader);
        tally.changes.increment();
        if (oneIn(4)) {
            member.disable();
            pause();
            member.enable();
            tally.changes.add(2);
        }
        if (!early) {
            pause();
            Io.feed(pipe);
        }
        reader.reported.acquire();
        boolean closeFirst = !number && oneIn(4); // nothing tells that a number was closed and given out again
        if (closeFirst) {
            pipe.source().close();
        }
        member.remove();
        tally.changes.increment();
        pipe.source().close();
        pipe.sink().close();
    }

    /** A number is told by a first registration. */
    private Poller.Member addNumber(Reader reader) throws Exception {
        Poller.Member first = poller.add(reader.source, 0);
        first.remove();
        tally.changes.add(2);
        return poller.add(first.descriptor(), events(), reader);
    }

    private int events() {
        return Poller.POLLIN | switch (random(3)) {
            case 0 -> Poller.ONESHOT;
            case 1 -> poller.supports(Poller.EDGE) ? Poller.EDGE : 0;
            default -> 0;
        };
    }

    private void storm() {
        while (!isClosing()) {
            for (int i = 0; i < STORM; i++) {
                poller.wakeup();
            }
            tally.wakeups.add(STORM);
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1 + random(10)));
        }
    }
}
