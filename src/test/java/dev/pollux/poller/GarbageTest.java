// SPDX-License-Identifier: Apache-2.0
package dev.pollux.poller;

import static dev.pollux.Poller.ONESHOT;
import static dev.pollux.Poller.POLLIN;
import static dev.pollux.Poller.POLLOUT;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pollux.ClosedPollerException;
import dev.pollux.Poller;
import dev.pollux.lab.Garbage;
import dev.pollux.lab.Job;
import java.nio.channels.DatagramChannel;
import java.util.concurrent.atomic.AtomicLong;

/** Awaits make no garbage once they are compiled: less than one byte each on average. */
class GarbageTest {

    private static final int READY = 8;

    @EachMechanism
    void awaitsIntoArraysMakeNoGarbage(PollerLab lab) throws Exception {
        Poller poller = writable(lab, POLLOUT);
        int[] descriptors = new int[READY];
        short[] events = new short[READY];
        Garbage.assertNone(() -> assertEquals(READY, poller.await(descriptors, events, Awaits.FOR_EVER)));
    }

    @EachMechanism
    void awaitsWithAHandlerMakeNoGarbage(PollerLab lab) throws Exception {
        Poller poller = writable(lab, POLLOUT);
        Poller.Handler handler = (descriptor, events, attachment) -> assertEquals(POLLOUT, events);
        Garbage.assertNone(() -> assertEquals(READY, poller.await(handler, Awaits.FOR_EVER)));
    }

    @EachMechanism
    void iteratingMakesNoGarbage(PollerLab lab) throws Exception {
        Poller poller = writable(lab, POLLOUT);
        Garbage.assertNone(() -> {
            int n = 0;
            for (Poller.Ready ready : poller.await(Awaits.FOR_EVER)) {
                n += ready.events();
            }
            assertEquals(READY * POLLOUT, n);
        });
    }

    @EachMechanism
    void awaitsOfNothingMakeNoGarbage(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        poller.add(lab.datagram(), POLLIN);
        Poller.Handler handler = (descriptor, events, attachment) -> { };
        Garbage.assertNone(() -> assertEquals(0, poller.await(handler, 0)));
    }

    @EachMechanism
    void awaitsThatTimeOutMakeNoGarbage(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        poller.add(lab.datagram(), POLLIN);
        Poller.Handler handler = (descriptor, events, attachment) -> { };
        Garbage.assertNone(() -> assertEquals(0, poller.await(handler, 1000)));
    }

    @EachMechanism
    void wakeupsMakeNoGarbage(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Poller.Handler handler = (descriptor, events, attachment) -> { };
        Garbage.assertNone(() -> {
            poller.wakeup();
            assertEquals(0, poller.await(handler, Awaits.FOR_EVER));
        });
    }

    @EachMechanism
    void enablingOneShotEntriesMakesNoGarbage(PollerLab lab) throws Exception {
        Poller poller = writable(lab, POLLOUT | ONESHOT);
        Poller.Handler handler = (descriptor, events, attachment) -> poller.enable(descriptor);
        Garbage.assertNone(() -> assertEquals(READY, poller.await(handler, Awaits.FOR_EVER)));
    }

    @EachMechanism
    void changesOfAMemberMakeNoGarbage(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        DatagramChannel channel = lab.datagram();
        poller.add(channel, POLLIN);
        Poller.Handler handler = (descriptor, events, attachment) -> { };
        Garbage.assertNone(() -> {
            poller.modify(channel, POLLOUT);
            poller.disable(channel);
            poller.enable(channel);
            assertEquals(1, poller.await(handler, 0));
        });
    }

    @EachMechanism
    void changesDuringAnAwaitOfAnotherThreadMakeNoGarbage(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        DatagramChannel channel = lab.datagram();
        poller.add(channel, POLLIN);
        Job<Integer> other = lab.start(() -> Form.HANDLER.await(poller, Awaits.FOR_EVER));
        other.awaitSelecting();
        Garbage.assertNone(() -> {
            poller.modify(channel, 0);
            poller.disable(channel);
            poller.enable(channel);
        }, other.thread());
        poller.wakeup();
        other.result();
    }

    @EachMechanism
    void threadsThatWaitForTheirTurnMakeNoGarbage(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        AtomicLong awaits = new AtomicLong();
        Poller.Handler handler = (descriptor, events, attachment) -> { };
        Job<Void> one = lab.start(() -> awaitUntilClosed(poller, handler, awaits));
        Job<Void> two = lab.start(() -> awaitUntilClosed(poller, handler, awaits));
        Garbage.assertNone(() -> {
            long before = awaits.get();
            poller.wakeup();
            while (awaits.get() == before) {
                Thread.onSpinWait();
            }
        }, one.thread(), two.thread());
        poller.close();
        one.result();
        two.result();
    }

    @EachMechanism
    void threadsThatHandEntriesToEachOtherMakeNoGarbage(PollerLab lab) throws Exception {
        Poller poller = writable(lab, POLLOUT | ONESHOT);
        AtomicLong handled = new AtomicLong();
        Poller.Handler handler = (descriptor, events, attachment) -> {
            handled.incrementAndGet();
            poller.enable(descriptor);
        };
        Job<Void> one = lab.start(() -> awaitUntilClosed(poller, handler, handled));
        Job<Void> two = lab.start(() -> awaitUntilClosed(poller, handler, handled));
        Garbage.assertNone(() -> {
            long before = handled.get();
            while (handled.get() == before) {
                Thread.onSpinWait();
            }
        }, one.thread(), two.thread());
        poller.close();
        one.result();
        two.result();
    }

    private static Void awaitUntilClosed(Poller poller, Poller.Handler handler, AtomicLong awaits) throws Exception {
        try {
            while (true) {
                poller.await(handler, Awaits.FOR_EVER);
                awaits.incrementAndGet();
            }
        } catch (ClosedPollerException e) {
            return null;
        }
    }

    private static Poller writable(PollerLab lab, int events) throws Exception {
        Poller poller = lab.poller();
        for (int i = 0; i < READY; i++) {
            poller.add(lab.datagram(), events);
        }
        return poller;
    }
}
