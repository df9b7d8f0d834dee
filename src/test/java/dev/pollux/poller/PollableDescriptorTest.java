// SPDX-License-Identifier: Apache-2.0
package dev.pollux.poller;

import static dev.pollux.Poller.ONESHOT;
import static dev.pollux.Poller.POLLIN;
import static dev.pollux.Poller.POLLNVAL;
import static dev.pollux.Poller.POLLOUT;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.pollux.ClosedPollerException;
import dev.pollux.Poller;
import dev.pollux.Poller.Member;
import dev.pollux.lab.Descriptors;
import dev.pollux.lab.Duplicate;
import dev.pollux.lab.Io;
import dev.pollux.lab.Job;
import java.io.IOException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Pipe;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The descriptor of a Poller, by which it is watched from outside: by a Poller of each mechanism, poll(2) for one. */
class PollableDescriptorTest {

    private static final Poller.Handler NONE = (member, events) -> { };

    /** How often a Poller may be readable in vain before it is not any more. */
    private static final int IN_VAIN = 5;

    /** A Poller, and what watches it. */
    private record Nest(Poller inner, Poller outer) {

        /** One for each mechanism on the outside. */
        static List<Nest> all(PollerLab lab) throws IOException {
            assumeTrue(lab.isEPoll() || lab.isKQueue(), "the mechanism has no descriptor");
            List<Nest> nests = new ArrayList<>();
            for (PollerLab outside : PollerLab.all().toList()) {
                Poller inner = lab.poller();
                Poller outer = lab.opened(Poller.open(outside.mechanism(), 1));
                outer.add(inner.descriptor(), POLLIN);
                nests.add(new Nest(inner, outer));
            }
            return nests;
        }

        /** It becomes readable, if it is not yet. */
        void assertReadable() throws IOException {
            assertEquals(POLLIN, Awaits.only(outer).events());
        }

        /** It is readable no more, when all was handed out. */
        void assertSettles() throws Exception {
            for (int i = 0; i < IN_VAIN && Awaits.poll(outer) != 0; i++) {
                assertEquals(List.of(), Form.HANDLER.reports(inner, 0));
            }
            Awaits.assertSleeps(outer);
        }
    }

    @EachMechanism
    void onlyAMechanismWithADescriptorTellsOne(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        if (lab.isEPoll() || lab.isKQueue()) {
            int descriptor = poller.descriptor();
            assertTrue(descriptor >= 0);
            assertEquals(descriptor, poller.descriptor());
        } else {
            assertEquals(-1, poller.descriptor());
        }
    }

    @EachMechanism
    void anEmptyPollerIsNotReadableForEver(PollerLab lab) throws Exception {
        for (Nest nest : Nest.all(lab)) {
            nest.assertSettles();
        }
    }

    @EachMechanism
    void anEventMakesItReadableUntilThatWasDealtWith(PollerLab lab) throws Exception {
        for (Nest nest : Nest.all(lab)) {
            Pipe pipe = lab.pipe();
            Member member = nest.inner.add(pipe.source(), POLLIN);
            nest.assertSettles();
            for (int i = 0; i < 3; i++) {
                Io.feed(pipe);
                nest.assertReadable();
                assertEquals(new Report(member, POLLIN), Awaits.only(nest.inner));
                nest.assertReadable();
                Io.drain(pipe.source());
                nest.assertSettles();
            }
        }
    }

    @EachMechanism
    void whatWasReadyBeforeSomebodyAskedForTheDescriptorMakesItReadable(PollerLab lab) throws Exception {
        assumeTrue(lab.isEPoll() || lab.isKQueue(), "the mechanism has no descriptor");
        Poller inner = lab.poller();
        for (int i = 0; i < 3; i++) {
            inner.add(lab.datagram(), POLLOUT | ONESHOT);
        }
        assertEquals(1, inner.await(new int[1], new short[1], 0, NANOSECONDS));
        Poller outer = lab.poller();
        outer.add(inner.descriptor(), POLLIN);
        Nest nest = new Nest(inner, outer);
        nest.assertReadable();
        assertEquals(2, Awaits.poll(inner));
        nest.assertSettles();
    }

    @EachMechanism
    void aWakeupMakesItReadable(PollerLab lab) throws Exception {
        for (Nest nest : Nest.all(lab)) {
            nest.assertSettles();
            for (int i = 0; i < 3; i++) {
                nest.inner.wakeup();
                nest.assertReadable();
                assertEquals(0, Form.HANDLER.await(nest.inner, Awaits.FOR_EVER));
                nest.assertSettles();
            }
        }
    }

    @EachMechanism
    void membersThatWereFoundAndNotHandedOutKeepItReadable(PollerLab lab) throws Exception {
        for (Nest nest : Nest.all(lab)) {
            nest.assertSettles();
            for (int i = 0; i < 4; i++) {
                nest.inner.add(lab.datagram(), POLLOUT | ONESHOT);
            }
            for (int i = 0; i < 4; i++) {
                nest.assertReadable();
                assertEquals(1, nest.inner.await(new int[1], new short[1], 0, NANOSECONDS));
            }
            nest.assertSettles();
        }
    }

    @EachMechanism
    void membersThatAnIterationOrAHandlerLeftKeepItReadable(PollerLab lab) throws Exception {
        for (Nest nest : Nest.all(lab)) {
            nest.assertSettles();
            for (int i = 0; i < 4; i++) {
                nest.inner.add(lab.datagram(), POLLOUT | ONESHOT);
            }
            nest.assertReadable();
            assertEquals(POLLOUT, nest.inner.await(0, NANOSECONDS).iterator().next().events());
            nest.assertReadable();
            assertThrows(IllegalArgumentException.class, () -> nest.inner.await((member, events) -> {
                throw new IllegalArgumentException("the handler's own");
            }, 0, NANOSECONDS));
            nest.assertReadable();
            assertEquals(1, Form.ITERABLE.awaitAtMost(1, nest.inner, 0, NONE));
            nest.assertReadable();
            assertEquals(1, Form.ITERABLE.awaitAtMost(1, nest.inner, 0, NONE));
            nest.assertSettles();
        }
    }

    @EachMechanism
    void aMemberThatWasLookedAtAndNotTakenMakesItReadableAgain(PollerLab lab) throws Exception {
        for (Nest nest : Nest.all(lab)) {
            nest.assertSettles();
            Member member = nest.inner.add(lab.datagram(), POLLOUT | ONESHOT);
            nest.assertReadable();
            assertTrue(nest.inner.await(0, NANOSECONDS).iterator().hasNext());
            assertEquals(1, nest.inner.await(new int[1], new short[1], 0, NANOSECONDS)); // given back, and found again
            nest.assertSettles();
            member.enable();
            nest.assertReadable();
            assertEquals(new Report(member, POLLOUT), Awaits.only(nest.inner));
            nest.assertSettles();
        }
    }

    @EachMechanism
    void theChangesOfOtherThreadsMakeItReadable(PollerLab lab) throws Exception {
        for (Nest nest : Nest.all(lab)) {
            Member member = nest.inner.add(lab.datagram(), POLLIN);
            nest.assertSettles();
            for (Io.Step change : List.<Io.Step>of(() -> member.modify(POLLOUT | ONESHOT), member::enable,
                    () -> nest.inner.add(lab.datagram(), POLLOUT | ONESHOT))) {
                Job<Integer> job = lab.start(() -> Form.HANDLER.await(nest.outer, Awaits.FOR_EVER));
                job.awaitSelecting();
                change.run();
                assertEquals(1, job.result());
                assertEquals(POLLOUT, Awaits.only(nest.inner).events());
                nest.assertSettles();
            }
        }
    }

    @EachMechanism
    void aChangeThatIsRefusedIsThrownOrMakesItReadable(PollerLab lab) throws Exception {
        for (Nest nest : Nest.all(lab)) {
            DatagramChannel channel = lab.withHighNumber(lab::datagram);
            int number = Descriptors.numberOf(channel);
            nest.inner.add(channel, POLLIN).remove();
            channel.close();
            nest.assertSettles();
            Member member;
            try {
                member = nest.inner.add(number, POLLIN);
            } catch (IOException e) {
                nest.assertSettles();
                continue;
            }
            nest.assertReadable();
            assertEquals(new Report(member, POLLNVAL), Awaits.only(nest.inner));
            nest.assertSettles();
        }
    }

    @EachMechanism
    void whatCannotBeWatchedAnyMoreKeepsItReadableUntilAllIsReported(PollerLab lab) throws Exception {
        assumeTrue(lab.isEPoll(), "only epoll's object is replaced");
        for (Nest nest : Nest.all(lab)) {
            Set<Member> closed = closedMembers(lab, nest.inner, 3);
            nest.assertSettles();
            try (Duplicate duplicate = leaveStaleRegistration(lab, nest.inner)) {
                Set<Member> seen = new HashSet<>();
                while (seen.size() < 3) {
                    nest.assertReadable();
                    Form.ITERABLE.awaitAtMost(1, nest.inner, 0, (member, events) -> {
                        assertEquals(POLLNVAL, events);
                        assertTrue(seen.add(member));
                    });
                }
                assertEquals(closed, seen);
                nest.assertSettles();
                assertTrue(duplicate.isHeld());
            }
        }
    }

    @EachMechanism
    void itStaysTheSameWhenTheObjectInTheKernelIsReplaced(PollerLab lab) throws Exception {
        for (Nest nest : Nest.all(lab)) {
            int number = nest.inner.descriptor();
            Pipe pipe = lab.pipe();
            Member member = nest.inner.add(pipe.source(), POLLIN);
            for (int i = 0; i < 2; i++) {
                try (Duplicate duplicate = leaveStaleRegistration(lab, nest.inner)) {
                    Awaits.assertSleeps(nest.inner); // replaces it
                    nest.assertSettles();
                    assertEquals(number, nest.inner.descriptor());
                    Io.feed(pipe);
                    nest.assertReadable();
                    assertEquals(new Report(member, POLLIN), Awaits.only(nest.inner));
                    Io.drain(pipe.source());
                    nest.assertSettles();
                    nest.inner.wakeup();
                    nest.assertReadable();
                    assertEquals(0, Awaits.poll(nest.inner));
                    nest.assertSettles();
                    assertTrue(duplicate.isHeld());
                }
            }
        }
    }

    @EachMechanism
    void itIsClosedWithThePoller(PollerLab lab) throws Exception {
        assumeTrue(lab.isEPoll() || lab.isKQueue(), "the mechanism has no descriptor");
        List<String> before = Descriptors.open();
        Poller poller = lab.poller();
        String number = poller.descriptor() + " ";
        List<String> fresh = Descriptors.more(before, Descriptors.open());
        assertTrue(fresh.stream().anyMatch(entry -> entry.startsWith(number)), number + "of " + fresh);
        poller.close();
        assertEquals(List.of(), Descriptors.more(before, Descriptors.open()));
        assertThrows(ClosedPollerException.class, poller::descriptor);
    }

    @EachMechanism
    void aPollerWhoseDescriptorIsRefusedWaitsAsBefore(PollerLab lab) throws Exception {
        assumeTrue(lab.isEPoll(), "only Linux limits how deep descriptors nest");
        Poller outermost = lab.poller();
        for (int i = 0; i < 2; i++) {
            Poller inner = outermost;
            outermost = lab.poller();
            outermost.add(inner.descriptor(), POLLIN);
            Awaits.poll(inner); // it is readable at first
        }
        assertThrows(IOException.class, outermost::descriptor);
        Awaits.assertSleeps(outermost);
    }

    @EachMechanism
    void aThreadInAwaitAndOneOutsideAreBothServed(PollerLab lab) throws Exception {
        for (Nest nest : Nest.all(lab)) {
            nest.assertSettles();
            Job<Integer> inside = lab.start(() -> Form.HANDLER.await(nest.inner, Awaits.FOR_EVER));
            inside.awaitSelecting();
            nest.inner.wakeup();
            assertEquals(0, inside.result());
            nest.assertSettles();
            Job<List<Report>> next = lab.start(() -> Form.HANDLER.reports(nest.inner, Awaits.FOR_EVER));
            next.awaitSelecting();
            Member member = nest.inner.add(lab.datagram(), POLLOUT | ONESHOT);
            assertEquals(List.of(new Report(member, POLLOUT)), next.result());
            nest.assertSettles();
        }
    }

    /** Members that the kernel has forgotten, since they were closed. */
    private static Set<Member> closedMembers(PollerLab lab, Poller poller, int count) throws Exception {
        Set<Member> members = new HashSet<>();
        List<DatagramChannel> channels = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            channels.add(lab.datagram());
            members.add(poller.add(channels.get(i), POLLIN));
        }
        for (DatagramChannel channel : channels) {
            channel.close();
        }
        return members;
    }

    /** The kernel reports something that it can't be told to forget. */
    private static Duplicate leaveStaleRegistration(PollerLab lab, Poller poller) throws Exception {
        DatagramChannel stale = lab.withHighNumber(lab::datagram);
        return StaleRegistrationTest.closeBehindItsBack(poller.add(stale, POLLOUT), stale);
    }
}
