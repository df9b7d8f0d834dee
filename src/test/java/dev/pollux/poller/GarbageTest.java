// SPDX-License-Identifier: Apache-2.0
package dev.pollux.poller;

import static dev.pollux.Poller.ONESHOT;
import static dev.pollux.Poller.POLLIN;
import static dev.pollux.Poller.POLLOUT;
import static java.util.concurrent.TimeUnit.MICROSECONDS;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import dev.pollux.ClosedPollerException;
import dev.pollux.Poller;
import dev.pollux.Poller.Member;
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
        Garbage.assertNone(() -> assertEquals(READY, poller.await(descriptors, events, Poller.FOREVER, NANOSECONDS)));
    }

    @EachMechanism
    void awaitsWithAHandlerMakeNoGarbage(PollerLab lab) throws Exception {
        Poller poller = writable(lab, POLLOUT);
        Poller.Handler handler = (member, events) -> assertEquals(POLLOUT, events);
        Garbage.assertNone(() -> assertEquals(READY, poller.await(handler)));
    }

    @EachMechanism
    void iteratingMakesNoGarbage(PollerLab lab) throws Exception {
        Poller poller = writable(lab, POLLOUT);
        Garbage.assertNone(() -> {
            int n = 0;
            for (Poller.Ready ready : poller.await(Poller.FOREVER, NANOSECONDS)) {
                n += ready.events();
            }
            assertEquals(READY * POLLOUT, n);
        });
    }

    @EachMechanism
    void awaitsOfAFewOfManyMakeNoGarbage(PollerLab lab) throws Exception {
        Poller poller = writable(lab, POLLOUT);
        int[] descriptors = new int[2];
        short[] events = new short[2];
        Garbage.assertNone(() -> {
            // Of 8, which are handed out in turn.
            assertEquals(2, poller.await(descriptors, events, Poller.FOREVER, NANOSECONDS));
            int n = 0;
            for (Poller.Ready ready : poller.await(Poller.FOREVER, NANOSECONDS)) {
                n += ready.events();
                if (n == 2 * POLLOUT) {
                    break;
                }
            }
            assertEquals(2 * POLLOUT, n);
        });
    }

    @EachMechanism
    void findingAMemberMakesNoGarbage(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        DatagramChannel channel = lab.datagram();
        Member member = poller.add(channel, POLLIN);
        int descriptor = member.descriptor();
        Garbage.assertNone(() -> {
            assertSame(member, poller.find(descriptor));
            assertSame(member, poller.find(channel));
            assertSame(member, poller.find(channel.socket()));
        });
    }

    @EachMechanism
    void awaitsOfNothingMakeNoGarbage(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        poller.add(lab.datagram(), POLLIN);
        Poller.Handler handler = (member, events) -> { };
        Garbage.assertNone(() -> assertEquals(0, poller.await(handler, 0, NANOSECONDS)));
    }

    @EachMechanism
    void awaitsThatTimeOutMakeNoGarbage(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        poller.add(lab.datagram(), POLLIN);
        Poller.Handler handler = (member, events) -> { };
        Garbage.assertNone(() -> assertEquals(0, poller.await(handler, 1, MICROSECONDS)));
        Garbage.assertNone(() -> assertEquals(0, poller.await(handler, System.nanoTime() & 1023, NANOSECONDS)));
    }

    @EachMechanism
    void wakeupsMakeNoGarbage(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Poller.Handler handler = (member, events) -> { };
        Garbage.assertNone(() -> {
            poller.wakeup();
            assertEquals(0, poller.await(handler));
        });
    }

    @EachMechanism
    void enablingOneShotMembersMakesNoGarbage(PollerLab lab) throws Exception {
        Poller poller = writable(lab, POLLOUT | ONESHOT);
        Poller.Handler handler = (member, events) -> member.enable();
        Garbage.assertNone(() -> assertEquals(READY, poller.await(handler)));
    }

    @EachMechanism
    void changesOfAMemberMakeNoGarbage(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Member member = poller.add(lab.datagram(), POLLIN);
        Poller.Handler handler = (ready, events) -> { };
        Garbage.assertNone(() -> {
            member.modify(POLLOUT);
            member.disable();
            member.enable();
            member.attach(handler);
            assertEquals(1, poller.await(handler, 0, NANOSECONDS));
        });
    }

    @EachMechanism
    void changesDuringAnAwaitOfAnotherThreadMakeNoGarbage(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Member member = poller.add(lab.datagram(), POLLIN);
        Job<Integer> other = lab.start(() -> Form.HANDLER.await(poller, Awaits.FOR_EVER));
        other.awaitSelecting();
        Garbage.assertNone(() -> {
            member.modify(0);
            member.disable();
            member.enable();
        }, other.thread());
        poller.wakeup();
        other.result();
    }

    @EachMechanism
    void threadsThatWaitForTheirTurnMakeNoGarbage(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        AtomicLong awaits = new AtomicLong();
        Poller.Handler handler = (member, events) -> { };
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
    void threadsThatHandMembersToEachOtherMakeNoGarbage(PollerLab lab) throws Exception {
        Poller poller = writable(lab, POLLOUT | ONESHOT);
        AtomicLong handled = new AtomicLong();
        Poller.Handler handler = (member, events) -> {
            handled.incrementAndGet();
            member.enable();
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
                poller.await(handler);
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
