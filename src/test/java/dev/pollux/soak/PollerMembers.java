// SPDX-License-Identifier: Apache-2.0
package dev.pollux.soak;

import dev.pollux.Poller;
import dev.pollux.lab.Io;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.Pipe;
import java.util.NoSuchElementException;
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

    private record Member(Pipe.SourceChannel source, Semaphore reported) {
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
            poller.await(this::ready, -1);
            pause();
        }
    }

    private void ready(int descriptor, int events, Object attachment) throws IOException {
        tally.events.increment();
        Member member = (Member) attachment;
        try {
            if (member.source.read(ByteBuffer.allocate(2)) == 1) {
                member.reported.release();
            }
        } catch (ClosedChannelException e) {
            tally.expected.increment(); // another thread was given it too, and it is over already
        }
    }

    private void once() throws Exception {
        Pipe pipe = pipe();
        Member member = new Member(pipe.source(), new Semaphore(0));
        boolean early = oneIn(2);
        if (early) {
            Io.feed(pipe);
        }
        boolean number = oneIn(2);
        Object source = number ? addNumber(member) : addChannel(member);
        if (oneIn(4)) {
            poller.disable(source);
            pause();
            poller.enable(source);
            tally.changes.add(2);
        }
        if (!early) {
            pause();
            Io.feed(pipe);
        }
        member.reported.acquire();
        boolean closeFirst = !number && oneIn(4); // nothing tells that a number was closed and given out again
        if (closeFirst) {
            pipe.source().close();
        }
        remove(source, closeFirst);
        pipe.source().close();
        pipe.sink().close();
    }

    private Object addChannel(Member member) throws Exception {
        poller.add(member.source, events(), member);
        tally.changes.increment();
        return member.source;
    }

    /** A number is told by a first registration. */
    private Object addNumber(Member member) throws Exception {
        int number = poller.add(member.source, 0, member);
        poller.remove(member.source);
        poller.add(number, events(), member);
        tally.changes.add(3);
        return number;
    }

    private int events() {
        return Poller.POLLIN | switch (random(3)) {
            case 0 -> Poller.ONESHOT;
            case 1 -> poller.supports(Poller.EDGE) ? Poller.EDGE : 0;
            default -> 0;
        };
    }

    private void remove(Object source, boolean closed) throws IOException {
        try {
            poller.remove(source);
            tally.changes.increment();
        } catch (NoSuchElementException e) {
            if (!closed) {
                throw e;
            }
            tally.expected.increment(); // its number was given to another member already
        }
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
