// SPDX-License-Identifier: Apache-2.0
package dev.pollux.poller;

import static dev.pollux.Poller.ONESHOT;
import static dev.pollux.Poller.POLLIN;
import static dev.pollux.Poller.POLLOUT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.pollux.Poller;
import dev.pollux.Poller.Member;
import dev.pollux.lab.Duplicate;
import dev.pollux.lab.Injection;
import dev.pollux.lab.Io;
import dev.pollux.lab.Job;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Pipe;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Registrations that outlive their removal, since the open file has another descriptor (man 7 epoll). */
class StaleRegistrationTest {

    @EachMechanism
    void aDuplicateOfAClosedDescriptorMakesNoAwaitSpin(PollerLab lab) throws Exception {
        lab.needsRegistrations();
        Poller poller = lab.poller();
        DatagramChannel channel = lab.withHighNumber(lab::datagram);
        Member member = poller.add(channel, POLLOUT);
        assertEquals(1, Awaits.poll(poller));
        try (Duplicate duplicate = closeBehindItsBack(member, channel)) {
            Awaits.assertSleeps(poller);
            Awaits.assertSleeps(poller);
            assertTrue(duplicate.isHeld());
        }
    }

    @EachMechanism
    void theNewcomerUnderTheNumberIsNotToldWhatHappensToTheOld(PollerLab lab) throws Exception {
        lab.needsRegistrations();
        Poller poller = lab.poller();
        DatagramChannel old = lab.withHighNumber(lab::datagram);
        Member member = poller.add(old, POLLOUT);
        assertEquals(1, Awaits.poll(poller));
        try (Duplicate duplicate = closeBehindItsBack(member, old)) {
            DatagramChannel fresh = lab.datagramWithNumber(member.descriptor());
            Member newcomer = poller.add(fresh, POLLIN);
            Awaits.assertSleeps(poller);
            Awaits.assertSleeps(poller);
            lab.datagram().send(ByteBuffer.allocate(1), fresh.getLocalAddress());
            assertEquals(new Report(newcomer, POLLIN), Awaits.only(poller));
            assertTrue(duplicate.isHeld());
        }
    }

    @EachMechanism
    void theNewcomerIsReportedThoughItCameWhileTheOldWasStillReported(PollerLab lab) throws Exception {
        lab.needsRegistrations();
        Poller poller = lab.poller();
        DatagramChannel old = lab.withHighNumber(lab::datagram);
        Member member = poller.add(old, POLLOUT);
        try (Duplicate duplicate = closeBehindItsBack(member, old)) {
            DatagramChannel fresh = lab.datagramWithNumber(member.descriptor());
            Member newcomer = poller.add(fresh, POLLOUT | ONESHOT);
            assertEquals(new Report(newcomer, POLLOUT), Awaits.only(poller));
            Awaits.assertSleeps(poller);
            newcomer.enable();
            assertEquals(newcomer, Awaits.only(poller).member());
            assertTrue(duplicate.isHeld());
        }
    }

    @EachMechanism
    void everyOtherMemberSurvivesTheCleanUp(PollerLab lab) throws Exception {
        lab.needsRegistrations();
        Poller poller = lab.poller();
        DatagramChannel stale = lab.withHighNumber(lab::datagram);
        Member member = poller.add(stale, POLLOUT);
        List<Member> others = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            others.add(poller.add(lab.datagram(), i % 2 == 0 ? POLLOUT : POLLOUT | ONESHOT));
        }
        others.get(0).disable();
        try (Duplicate duplicate = closeBehindItsBack(member, stale)) {
            int reported = 0;
            for (int i = 0; i < 3; i++) {
                reported += Awaits.poll(poller);
            }
            assertEquals(3 * 24 + 25, reported, "three times the lasting ones, once the others");
            others.get(0).enable();
            assertEquals(25, Awaits.poll(poller));
            assertTrue(duplicate.isHeld());
        }
        assertEquals(50, poller.size());
    }

    @EachMechanism
    void aMemberThatWasClosedWhileItWasDisabledIsNotReportedByTheCleanUp(PollerLab lab) throws Exception {
        lab.needsRegistrations();
        Poller poller = lab.poller();
        DatagramChannel channel = lab.withHighNumber(lab::datagram);
        poller.add(channel, POLLIN).disable();
        DatagramChannel stale = lab.datagram();
        Member member = poller.add(stale, POLLOUT);
        channel.close();
        try (Duplicate duplicate = closeBehindItsBack(member, stale)) {
            Awaits.assertSleeps(poller);
            Awaits.assertSleeps(poller);
            assertTrue(duplicate.isHeld());
        }
        assertEquals(1, poller.size());
    }

    @EachMechanism
    void aThreadThatWaitsMeanwhileGoesOn(PollerLab lab) throws Exception {
        lab.needsRegistrations();
        Poller poller = lab.poller();
        DatagramChannel stale = lab.withHighNumber(lab::datagram);
        Member member = poller.add(stale, POLLOUT | ONESHOT);
        assertEquals(1, Awaits.poll(poller));
        member.modify(0);
        try (Duplicate duplicate = Duplicate.of(stale)) {
            Job<List<Report>> job = lab.start(() -> Form.HANDLER.reports(poller, Awaits.FOR_EVER));
            job.awaitSelecting();
            stale.close();
            member.remove();
            Awaits.assertGoesOn(job);
            Member other = poller.add(lab.datagram(), POLLOUT);
            assertEquals(List.of(new Report(other, POLLOUT)), job.result());
            assertTrue(duplicate.isHeld());
        }
    }

    @EachMechanism
    void whatIsReadyIsReportedThoughTheKernelsObjectCannotBeReplaced(PollerLab lab) throws Exception {
        assumeTrue(lab.isEPoll(), "only epoll's object is replaced");
        Poller poller = lab.poller();
        DatagramChannel stale = lab.withHighNumber(lab::datagram);
        Member member = poller.add(stale, POLLOUT);
        Pipe pipe = lab.fedPipe();
        Member ready = poller.add(pipe.source(), POLLIN);
        Member once = poller.add(lab.datagram(), POLLOUT | ONESHOT);
        try (Duplicate duplicate = closeBehindItsBack(member, stale)) {
            try (Injection faults = Injection.failing("epoll_create1", "EMFILE")) {
                Set<Report> seen = new HashSet<>();
                for (int i = 0; i < 4; i++) { // the first ones find out that the object must be replaced
                    for (Form form : Form.values()) {
                        List<Report> reports = form.reports(poller, Awaits.FOR_EVER);
                        seen.addAll(reports);
                        assertTrue(reports.contains(new Report(ready, POLLIN)), reports.toString());
                    }
                }
                assertEquals(Set.of(new Report(ready, POLLIN), new Report(once, POLLOUT)), seen);
                Io.drain(pipe.source());
                for (Form form : Form.values()) {
                    IOException thrown = assertThrows(IOException.class, () -> form.await(poller, Awaits.FOR_EVER));
                    assertTrue(thrown.getMessage().contains("EMFILE"), thrown.toString());
                }
                assertTrue(!faults.calls().isEmpty());
            }
            Awaits.assertSleeps(poller);
            once.enable();
            Io.feed(pipe);
            assertEquals(2, Awaits.poll(poller));
            assertTrue(duplicate.isHeld());
        }
    }

    @EachMechanism
    void aRemovalThatTheKernelRefusesMakesNoAwaitSpin(PollerLab lab) throws Exception {
        assumeTrue(lab.isEPoll(), "only epoll asks the kernel at once");
        Poller poller = lab.poller();
        DatagramChannel channel = lab.datagram();
        Member member = poller.add(channel, POLLOUT);
        assertEquals(1, Awaits.poll(poller));
        try (Injection faults = Injection.failingOnce("epoll_ctl", "ENOMEM")) {
            assertThrows(IOException.class, member::remove);
            assertEquals(1, faults.calls().size());
        }
        assertEquals(0, poller.size());
        Awaits.assertSleeps(poller);
        assertEquals(poller.add(channel, POLLOUT), Awaits.only(poller).member());
    }

    @EachMechanism
    void whatTheKernelRefusedToDisableMakesNoAwaitSpin(PollerLab lab) throws Exception {
        assumeTrue(lab.isEPoll(), "only epoll asks the kernel at once");
        Poller poller = lab.poller();
        Member other = poller.add(lab.datagram(), POLLIN);
        Member member = poller.add(lab.datagram(), POLLOUT, "kept");
        assertEquals(1, Awaits.poll(poller));
        try (Injection faults = Injection.failingOnce("epoll_ctl", "ENOMEM")) {
            assertThrows(IOException.class, member::disable);
            assertEquals(1, faults.calls().size());
        }
        member.disable();
        Awaits.assertSleeps(poller);
        member.enable();
        assertEquals("kept", Awaits.only(poller).attachment());
        assertTrue(poller.isMember(other.descriptor()));
    }

    /**
     * Closes a member while another process holds its open file, and removes it after that: the kernel can't find it
     * any more.
     */
    static Duplicate closeBehindItsBack(Member member, DatagramChannel channel) throws Exception {
        Duplicate duplicate = Duplicate.of(channel);
        channel.close();
        member.remove();
        return duplicate;
    }
}
