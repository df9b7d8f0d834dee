// SPDX-License-Identifier: Apache-2.0
package dev.pollux.poller;

import static dev.pollux.Poller.POLLOUT;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.Poller;
import dev.pollux.Poller.Ready;
import java.io.IOException;
import java.lang.ref.Reference;
import java.lang.ref.WeakReference;
import java.nio.channels.DatagramChannel;
import java.util.Iterator;
import java.util.List;

/** What a Poller, and a thread that has been in an await, keep alive. */
class ReachabilityTest {

    /** Awaits, in the thread that lives on. */
    private interface Awaiting {
        void run(Poller poller) throws IOException;
    }

    @EachMechanism
    void aMemberKeepsItsAttachmentAndItsChannelAlive(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        List<WeakReference<?>> kept = added(lab, poller);
        for (int i = 0; i < 3; i++) {
            System.gc();
            Thread.sleep(10);
        }
        for (WeakReference<?> each : kept) {
            assertNotNull(each.get());
        }
        assertEquals(1, poller.size());
        ((DatagramChannel) kept.get(1).get()).close();
    }

    @EachMechanism
    void aRemovedMemberIsForgottenAfterAnAwaitIntoArrays(PollerLab lab) throws Exception {
        assertForgotten(lab, poller -> assertEquals(1, poller.await(new int[1], new short[1], 0, NANOSECONDS)));
    }

    @EachMechanism
    void aRemovedMemberIsForgottenAfterAHandlerWasCalled(PollerLab lab) throws Exception {
        assertForgotten(lab, poller -> assertEquals(1, poller.await((member, events) -> { }, 0, NANOSECONDS)));
    }

    @EachMechanism
    void aRemovedMemberIsForgottenAfterAHandlerThrew(PollerLab lab) throws Exception {
        assertForgotten(lab, poller -> {
            try {
                poller.await((member, events) -> {
                    throw new IllegalArgumentException("the handler's own");
                }, 0, NANOSECONDS);
            } catch (IllegalArgumentException e) {
                assertEquals("the handler's own", e.getMessage());
            }
        });
    }

    @EachMechanism
    void aRemovedMemberIsForgottenAfterAnIterationEnded(PollerLab lab) throws Exception {
        assertForgotten(lab, poller -> assertEquals(1, Form.ITERABLE.await(poller, 0)));
    }

    @EachMechanism
    void aRemovedMemberIsForgottenThoughAnIterationWasBrokenOff(PollerLab lab) throws Exception {
        assertForgotten(lab, poller -> assertTrue(poller.await(0, NANOSECONDS).iterator().next().events() != 0));
    }

    @EachMechanism
    void aRemovedMemberIsForgottenThoughAnIterationThatHasItDidNotBegin(PollerLab lab) throws Exception {
        assertForgotten(lab, poller -> assertTrue(poller.await(0, NANOSECONDS).iterator().hasNext()));
    }

    @EachMechanism
    void aRemovedMemberIsForgottenThoughTheProgramKeepsItsIteration(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        List<WeakReference<?>> forgotten = added(lab, poller);
        Iterator<Ready> iterator = poller.await(0, NANOSECONDS).iterator();
        assertEquals(POLLOUT, iterator.next().events());
        removeAll(poller, forgotten);
        assertCleared(forgotten);
        Reference.reachabilityFence(iterator);
    }

    @EachMechanism
    void aThreadThatHasIteratedAndEndedIsForgottenThoughTheMemberIsNot(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        poller.add(lab.datagram(), POLLOUT);
        Thread[] thread = {new Thread(() -> {
            try {
                Form.ITERABLE.await(poller, 0);
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        })};
        thread[0].start();
        thread[0].join();
        List<WeakReference<?>> forgotten = List.of(new WeakReference<>(thread[0]));
        thread[0] = null;
        assertCleared(forgotten);
        assertEquals(1, poller.size());
    }

    @EachMechanism
    void aClosedPollerIsForgottenThoughItsThreadsLiveOn(PollerLab lab) throws Exception {
        assertCleared(usedAndClosed(lab));
    }

    @EachMechanism
    void theMembersOfAClosedPollerAreForgottenThoughItIsNot(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        List<WeakReference<?>> forgotten = added(lab, poller);
        Iterator<Ready> iterator = poller.await(0, NANOSECONDS).iterator();
        assertTrue(iterator.hasNext());
        ((DatagramChannel) forgotten.get(1).get()).close();
        poller.close();
        assertCleared(forgotten);
        Reference.reachabilityFence(iterator);
        Reference.reachabilityFence(poller);
    }

    /** This thread lives on, and does not await again. */
    private static void assertForgotten(PollerLab lab, Awaiting awaiting) throws Exception {
        Poller poller = lab.poller();
        List<WeakReference<?>> forgotten = added(lab, poller);
        awaiting.run(poller);
        removeAll(poller, forgotten);
        assertCleared(forgotten);
        assertTrue(poller.isOpen());
    }

    /** Adds a member of which nobody else knows: references to its attachment and its channel. */
    private static List<WeakReference<?>> added(PollerLab lab, Poller poller) throws IOException {
        DatagramChannel channel = lab.provider().openDatagramChannel();
        Object attachment = new Object();
        poller.add(channel, POLLOUT, attachment);
        return List.of(new WeakReference<>(attachment), new WeakReference<>(channel));
    }

    private static void removeAll(Poller poller, List<WeakReference<?>> added) throws IOException {
        DatagramChannel channel = (DatagramChannel) added.get(1).get();
        poller.find(channel).remove();
        channel.close();
    }

    /** An attachment that knows its Poller, as a connection does that enables itself. */
    private static List<WeakReference<?>> usedAndClosed(PollerLab lab) throws Exception {
        try (Poller poller = Poller.open(lab.mechanism(), 1)) {
            Object attachment = new Object[] {poller};
            poller.add(lab.datagram(), POLLOUT, attachment);
            for (Form form : Form.values()) {
                assertEquals(1, form.await(poller, 0));
            }
            return List.of(new WeakReference<>(attachment), new WeakReference<>(poller));
        }
    }

    private static void assertCleared(List<WeakReference<?>> references) throws Exception {
        for (WeakReference<?> reference : references) {
            for (int i = 0; i < 100 && reference.get() != null; i++) {
                System.gc();
                Thread.sleep(10);
            }
            assertNull(reference.get(), "still reachable");
        }
    }
}
