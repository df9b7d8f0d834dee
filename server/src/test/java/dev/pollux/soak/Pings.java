// SPDX-License-Identifier: Apache-2.0
package dev.pollux.soak;

import static java.nio.channels.SelectionKey.OP_READ;
import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.concurrent.TimeUnit.NANOSECONDS;

import dev.pollux.Poller;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.Selector;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Pairs of threads that take turns: each sleeps in a selector or a Poller of its own until the other wakes it, or sends
 * it a byte. Nothing else wakes them, so that a single lost wakeup stops a pair.
 */
final class Pings extends Scenario {
    private static final int PAIRS = 3;
    private static final int SPINS = 500;
    private static final int JITTER = 30;
    private static final int END = -1;
    private static final byte GO_ON = 0;
    private static final byte STOP = 1;

    private final boolean virtual;

    Pings(Site site, boolean virtual) {
        super(site);
        this.virtual = virtual;
    }

    /** Where one of two threads sleeps. */
    private interface Bed {
        void sleep() throws Exception;

        void wake();
    }

    @Override
    String name() {
        return virtual ? "VirtualPings" : "Pings";
    }

    @Override
    String skipped() {
        return virtual && Site.JDK < 21 ? "no virtual threads" : null;
    }

    @Override
    void start() throws Exception {
        for (int i = 0; i < PAIRS; i++) {
            pairOf("selectors " + i, selectorBed(), selectorBed());
            pairOf("Pollers " + i, pollerBed(), pollerBed());
            pairOf("a selector and a Poller " + i, selectorBed(), pollerBed());
            Pipe there = pipe();
            Pipe back = pipe();
            Flow flow = flow("bytes " + i);
            run("first " + i, () -> playFirst(selectorOf(back), back, there, flow));
            run("second " + i, () -> playSecond(selectorOf(there), there, back));
        }
    }

    private void run(String name, Body body) throws Exception {
        if (virtual) {
            driveVirtually(body);
        } else {
            drive(name, body);
        }
    }

    private void pairOf(String what, Bed first, Bed second) throws Exception {
        AtomicInteger turn = new AtomicInteger();
        Flow flow = flow(what);
        run(what, () -> play(0, turn, first, second, flow));
        run(what, () -> play(1, turn, second, first, flow));
    }

    private void play(int me, AtomicInteger turn, Bed mine, Bed others, Flow flow) throws Exception {
        for (int now = turn.get(); now != END; now = turn.get()) {
            if (now == me) {
                turn.set(isStopping() ? END : 1 - me);
                others.wake();
                tally.exchanges.increment();
                flow.beat();
                pause();
            } else if (oneIn(2) || !comesSoon(turn, now)) {
                spin(random(JITTER), turn, now);
                mine.sleep();
                tally.wakeups.increment();
            }
        }
    }

    /** Who looks for its turn awake answers so fast that the other is only just about to sleep. */
    private static boolean comesSoon(AtomicInteger turn, int now) {
        spin(SPINS, turn, now);
        return turn.get() != now;
    }

    private static void spin(int most, AtomicInteger turn, int now) {
        for (int left = most; left > 0 && turn.get() == now; left--) {
            Thread.onSpinWait();
        }
    }

    private Bed selectorBed() throws Exception {
        Selector selector = selector();
        return new Bed() {
            @Override
            public void sleep() throws Exception {
                switch (random(8)) {
                    case 0 -> selector.select(TimeUnit.HOURS.toMillis(1));
                    case 1 -> selector.select(key -> { });
                    case 2 -> selector.selectNow();
                    default -> selector.select();
                }
            }

            @Override
            public void wake() {
                selector.wakeup();
            }
        };
    }

    private Bed pollerBed() throws Exception {
        Poller poller = poller();
        return new Bed() {
            @Override
            public void sleep() throws Exception {
                if (oneIn(4)) {
                    poller.await((member, events) -> { }, 1, HOURS);
                } else {
                    poller.await(Poller.FOREVER, NANOSECONDS);
                }
            }

            @Override
            public void wake() {
                poller.wakeup();
            }
        };
    }

    private Selector selectorOf(Pipe in) throws Exception {
        Selector selector = selector();
        in.source().register(selector, OP_READ);
        opened(in.source());
        opened(in.sink());
        return selector;
    }

    private void playFirst(Selector selector, Pipe in, Pipe out, Flow flow) throws Exception {
        while (true) {
            boolean last = isStopping();
            send(out, last ? STOP : GO_ON);
            if (last) {
                return;
            }
            receive(selector, in);
            tally.exchanges.increment();
            flow.beat();
            pause();
        }
    }

    private void playSecond(Selector selector, Pipe in, Pipe out) throws Exception {
        while (receive(selector, in) != STOP) {
            pause();
            send(out, GO_ON);
        }
    }

    private static void send(Pipe out, byte what) throws Exception {
        if (out.sink().write(ByteBuffer.wrap(new byte[] {what})) != 1) {
            throw new IllegalStateException("an empty pipe takes no byte");
        }
    }

    private byte receive(Selector selector, Pipe in) throws Exception {
        ByteBuffer one = ByteBuffer.allocate(1);
        while (in.source().read(one) == 0) {
            selector.select();
            selector.selectedKeys().clear();
            tally.events.increment();
        }
        return one.get(0);
    }
}
