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
import dev.pollux.lab.Descriptors;
import dev.pollux.lab.Duplicate;
import dev.pollux.lab.Injection;
import dev.pollux.lab.Job;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.ArrayList;
import java.util.List;

/** Registrations that the kernel keeps after their removal, since the open file has another descriptor (man 7 epoll). */
class StaleRegistrationTest {

    @EachMechanism
    void aDuplicateOfAClosedDescriptorMakesNoAwaitSpin(PollerLab lab) throws Exception {
        lab.needsRegistrations();
        Poller poller = lab.poller();
        DatagramChannel channel = ClosedDescriptorTest.withHighNumber(lab);
        poller.add(channel, POLLOUT);
        assertEquals(1, Awaits.poll(poller));
        try (Duplicate duplicate = closeBehindItsBack(poller, channel)) {
            Awaits.assertSleeps(poller);
            Awaits.assertSleeps(poller);
            assertTrue(duplicate.isHeld());
        }
    }

    @EachMechanism
    void theNewcomerUnderTheNumberIsNotToldWhatHappensToTheOld(PollerLab lab) throws Exception {
        lab.needsRegistrations();
        Poller poller = lab.poller();
        DatagramChannel old = ClosedDescriptorTest.withHighNumber(lab);
        int number = poller.add(old, POLLOUT, "old");
        assertEquals(1, Awaits.poll(poller));
        try (Duplicate duplicate = closeBehindItsBack(poller, old)) {
            DatagramChannel fresh = ClosedDescriptorTest.openWithNumber(lab, number);
            poller.add(fresh, POLLIN, "new");
            Awaits.assertSleeps(poller);
            Awaits.assertSleeps(poller);
            lab.datagram().send(ByteBuffer.allocate(1), fresh.getLocalAddress());
            assertEquals(new Report(number, POLLIN, "new"), Awaits.only(poller));
            assertTrue(duplicate.isHeld());
        }
    }

    @EachMechanism
    void theNewcomerIsReportedThoughItCameWhileTheOldWasStillReported(PollerLab lab) throws Exception {
        lab.needsRegistrations();
        Poller poller = lab.poller();
        DatagramChannel old = ClosedDescriptorTest.withHighNumber(lab);
        int number = poller.add(old, POLLOUT, "old");
        try (Duplicate duplicate = closeBehindItsBack(poller, old)) {
            DatagramChannel fresh = ClosedDescriptorTest.openWithNumber(lab, number);
            poller.add(fresh, POLLOUT | ONESHOT, "new");
            assertEquals(new Report(number, POLLOUT, "new"), Awaits.only(poller));
            Awaits.assertSleeps(poller);
            poller.enable(fresh);
            assertEquals("new", Awaits.only(poller).attachment());
            assertTrue(duplicate.isHeld());
        }
    }

    @EachMechanism
    void everyOtherMemberSurvivesTheCleanUp(PollerLab lab) throws Exception {
        lab.needsRegistrations();
        Poller poller = lab.poller();
        DatagramChannel stale = ClosedDescriptorTest.withHighNumber(lab);
        poller.add(stale, POLLOUT);
        List<DatagramChannel> others = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            others.add(lab.datagram());
            poller.add(others.get(i), i % 2 == 0 ? POLLOUT : POLLOUT | ONESHOT, i);
        }
        poller.disable(others.get(0));
        try (Duplicate duplicate = closeBehindItsBack(poller, stale)) {
            int reported = 0;
            for (int i = 0; i < 3; i++) {
                reported += Awaits.poll(poller);
            }
            assertEquals(3 * 24 + 25, reported, "three times the lasting ones, once the others");
            poller.enable(others.get(0));
            assertEquals(25, Awaits.poll(poller));
            assertTrue(duplicate.isHeld());
        }
        assertEquals(50, poller.size());
    }

    @EachMechanism
    void aThreadThatWaitsMeanwhileGoesOn(PollerLab lab) throws Exception {
        lab.needsRegistrations();
        Poller poller = lab.poller();
        DatagramChannel stale = ClosedDescriptorTest.withHighNumber(lab);
        poller.add(stale, POLLOUT | ONESHOT);
        assertEquals(1, Awaits.poll(poller));
        poller.modify(stale, 0);
        try (Duplicate duplicate = Duplicate.of(stale)) {
            Job<List<Report>> job = lab.start(() -> Form.HANDLER.reports(poller, Awaits.FOR_EVER));
            job.awaitSelecting();
            int number = Descriptors.numberOf(stale);
            stale.close();
            poller.remove(number);
            Awaits.assertGoesOn(job);
            int other = poller.add(lab.datagram(), POLLOUT);
            assertEquals(List.of(new Report(other, POLLOUT, null)), job.result());
            assertTrue(duplicate.isHeld());
        }
    }

    @EachMechanism
    void aRemovalThatTheKernelRefusesMakesNoAwaitSpin(PollerLab lab) throws Exception {
        assumeTrue(lab.isEPoll(), "only epoll asks the kernel at once");
        Poller poller = lab.poller();
        DatagramChannel channel = lab.datagram();
        poller.add(channel, POLLOUT);
        assertEquals(1, Awaits.poll(poller));
        try (Injection faults = Injection.failingOnce("epoll_ctl", "ENOMEM")) {
            assertThrows(IOException.class, () -> poller.remove(channel));
            assertEquals(1, faults.calls().size());
        }
        assertEquals(0, poller.size());
        Awaits.assertSleeps(poller);
        poller.add(channel, POLLOUT, "again");
        assertEquals("again", Awaits.only(poller).attachment());
    }

    @EachMechanism
    void whatTheKernelRefusedToDisableMakesNoAwaitSpin(PollerLab lab) throws Exception {
        assumeTrue(lab.isEPoll(), "only epoll asks the kernel at once");
        Poller poller = lab.poller();
        DatagramChannel channel = lab.datagram();
        int other = poller.add(lab.datagram(), POLLIN);
        poller.add(channel, POLLOUT, "kept");
        assertEquals(1, Awaits.poll(poller));
        try (Injection faults = Injection.failingOnce("epoll_ctl", "ENOMEM")) {
            assertThrows(IOException.class, () -> poller.disable(channel));
            assertEquals(1, faults.calls().size());
        }
        poller.disable(channel);
        Awaits.assertSleeps(poller);
        poller.enable(channel);
        assertEquals("kept", Awaits.only(poller).attachment());
        assertTrue(poller.isMember(other));
    }

    /** Closes a member while another process holds its open file, and removes it after that: the kernel can't find it any more. */
    private static Duplicate closeBehindItsBack(Poller poller, DatagramChannel channel) throws Exception {
        Duplicate duplicate = Duplicate.of(channel);
        channel.close();
        poller.remove(channel);
        return duplicate;
    }
}
