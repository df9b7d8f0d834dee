// SPDX-License-Identifier: Apache-2.0
package dev.pollux.poller;

import static dev.pollux.Poller.POLLIN;
import static dev.pollux.Poller.POLLNVAL;
import static dev.pollux.Poller.POLLOUT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.pollux.Poller;
import dev.pollux.Poller.Member;
import dev.pollux.lab.Descriptors;
import dev.pollux.lab.Duplicate;
import dev.pollux.lab.Io;
import dev.pollux.lab.Job;
import java.io.FileDescriptor;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.List;

/** Descriptors that were closed without being removed. */
class ClosedDescriptorTest {

    @EachMechanism
    void aClosedChannelIsReportedOnceWhereTheSystemTells(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        DatagramChannel channel = lab.withHighNumber(lab::datagram);
        Member member = poller.add(channel, POLLOUT);
        channel.close();
        assertReportedOnceIf(lab.tellsOfClosing(), poller, member);
    }

    @EachMechanism
    void everyFormReportsAClosedChannelOnce(PollerLab lab) throws Exception {
        assumeTrue(lab.tellsOfClosing(), "the system forgets it without a word");
        for (Form form : Form.values()) {
            Poller poller = lab.poller();
            DatagramChannel channel = lab.withHighNumber(lab::datagram);
            Member member = poller.add(channel, POLLIN);
            channel.close();
            assertEquals(List.of(new Report(member, POLLNVAL)), form.reports(poller, Awaits.FOR_EVER));
            assertEquals(0, form.await(poller, 0));
        }
    }

    @EachMechanism
    void theNewOwnerOfAClosedChannelsNumberIsNotReportedInItsPlace(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        DatagramChannel channel = lab.withHighNumber(lab::datagram);
        Member member = poller.add(channel, POLLIN | POLLOUT);
        channel.close();
        DatagramChannel other = lab.datagramWithNumber(member.descriptor());
        Io.send(other.connect(other.getLocalAddress()));
        assertReportedOnceIf(lab.tellsOfClosing(), poller, member);
        assertEquals(1, other.read(ByteBuffer.allocate(8)));
    }

    @EachMechanism
    void theNewOwnerIsNotReportedThoughItCameWhileTheOldWasAwaited(PollerLab lab) throws Exception {
        assumeTrue(lab.isPoll(), "only poll(2) looks at the number again and again");
        Poller poller = lab.poller();
        DatagramChannel channel = lab.withHighNumber(lab::datagram);
        Member member = poller.add(channel, POLLIN);
        Job<List<Report>> job = lab.start(() -> Form.HANDLER.reports(poller, Awaits.FOR_EVER));
        job.awaitSelecting();
        channel.close();
        DatagramChannel other = lab.datagramWithNumber(member.descriptor());
        Io.send(other.connect(other.getLocalAddress()));
        poller.add(lab.pipe().source(), POLLIN); // has the thread look again
        assertEquals(List.of(new Report(member, POLLNVAL)), job.result());
        Awaits.assertSleeps(poller);
    }

    @EachMechanism
    void theNewOwnerOfAClosedFileDescriptorsNumberIsNotReportedInItsPlace(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Member member = closedFile(lab, poller);
        assertReportedOnceIf(lab.tellsOfClosing(), poller, member);
    }

    @EachMechanism
    void aChannelThatWasClosedWhileAnotherProcessHasItIsReportedOnce(PollerLab lab) throws Exception {
        assumeTrue(lab.isEPoll(), "only epoll goes on reporting it");
        Poller poller = lab.poller();
        DatagramChannel channel = lab.withHighNumber(lab::datagram);
        Member member = poller.add(channel, POLLOUT);
        try (Duplicate duplicate = Duplicate.of(channel)) {
            channel.close();
            assertReportedOnceIf(true, poller, member);
            assertTrue(duplicate.isHeld());
        }
    }

    @EachMechanism
    void neitherIsTheNewOwnerOfItsNumberReportedInItsPlace(PollerLab lab) throws Exception {
        assumeTrue(lab.isEPoll(), "only epoll goes on reporting it");
        Poller poller = lab.poller();
        DatagramChannel channel = lab.withHighNumber(lab::datagram);
        Member member = poller.add(channel, POLLOUT);
        try (Duplicate duplicate = Duplicate.of(channel)) {
            channel.close();
            DatagramChannel other = lab.datagramWithNumber(member.descriptor());
            Io.send(other.connect(other.getLocalAddress()));
            assertReportedOnceIf(true, poller, member);
            assertTrue(duplicate.isHeld());
        }
    }

    @EachMechanism
    void aClosedSourceIsNeitherEnabledNorModified(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        DatagramChannel channel = lab.withHighNumber(lab::datagram);
        ServerSocket server = lab.opened(new ServerSocket(0, 1, InetAddress.getLoopbackAddress()));
        Member ofChannel = poller.add(channel, POLLIN);
        Member ofServer = poller.add(server, POLLIN);
        ofChannel.disable();
        ofServer.disable();
        channel.close();
        server.close();
        for (Member member : List.of(ofChannel, ofServer)) {
            assertThrows(IOException.class, member::enable);
            assertThrows(IOException.class, () -> member.modify(POLLOUT));
            assertEquals(POLLIN, member.events());
        }
        Awaits.assertSleeps(poller);
    }

    @EachMechanism
    void aClosedSourceIsNotModifiedThoughItsNumberIsOpenAgain(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        DatagramChannel channel = lab.withHighNumber(lab::datagram);
        Member member = poller.add(channel, POLLIN);
        member.disable();
        channel.close();
        lab.datagramWithNumber(member.descriptor());
        IOException thrown = assertThrows(IOException.class, () -> member.modify(POLLOUT));
        assertTrue(thrown.getMessage().contains("closed"), thrown.toString());
        assertThrows(IOException.class, member::enable);
        Awaits.assertSleeps(poller);
    }

    @EachMechanism
    void aClosedNumberThatIsEnabledAgainIsRefusedOrReported(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        DatagramChannel channel = lab.withHighNumber(lab::datagram);
        Member member = poller.add(Descriptors.numberOf(channel), POLLIN);
        member.disable();
        channel.close();
        assertRefusedOrInvalid(poller, member, member::enable);
    }

    @EachMechanism
    void aClosedNumberThatIsModifiedIsRefusedOrReported(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        DatagramChannel channel = lab.withHighNumber(lab::datagram);
        Member member = poller.add(Descriptors.numberOf(channel), POLLIN);
        channel.close();
        assertRefusedOrInvalid(poller, member, () -> member.modify(POLLOUT));
    }

    @EachMechanism
    void aClosedSourceCanBeRemoved(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        DatagramChannel channel = lab.withHighNumber(lab::datagram);
        ServerSocket server = lab.opened(new ServerSocket(0, 1, InetAddress.getLoopbackAddress()));
        Member ofChannel = poller.add(channel, POLLIN);
        Member ofServer = poller.add(server, POLLIN);
        channel.close();
        server.close();
        ofChannel.remove();
        poller.find(server).remove();
        assertEquals(0, poller.size());
        assertFalse(poller.isMember(ofChannel.descriptor()));
        assertFalse(poller.isMember(ofServer.descriptor()));
        Awaits.assertSleeps(poller);
    }

    @EachMechanism
    void aClosedNumberCanBeRemoved(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        DatagramChannel channel = lab.withHighNumber(lab::datagram);
        Member member = poller.add(Descriptors.numberOf(channel), POLLIN);
        channel.close();
        member.remove();
        assertEquals(0, poller.size());
        Awaits.assertSleeps(poller);
    }

    @EachMechanism
    void theNumberOfAClosedChannelIsTheNewcomers(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        DatagramChannel old = lab.withHighNumber(lab::datagram);
        Member member = poller.add(old, POLLOUT);
        old.close();
        DatagramChannel fresh = lab.datagramWithNumber(member.descriptor());
        assertFalse(poller.isMember(fresh));
        Member newcomer = poller.add(fresh, POLLOUT);
        assertEquals(1, poller.size());
        assertEquals(new Report(newcomer, POLLOUT), Awaits.only(poller));
        assertFalse(poller.isMember(old));
        assertThrows(IllegalStateException.class, member::enable);
        member.remove();
        assertEquals(1, poller.size());
    }

    @EachMechanism
    void theNewcomerTakesNoPlaceOfItsOwn(PollerLab lab) throws Exception {
        Poller poller = lab.poller(1);
        DatagramChannel old = lab.withHighNumber(lab::datagram);
        Member member = poller.add(old, POLLIN);
        old.close();
        Member newcomer = poller.add(lab.datagramWithNumber(member.descriptor()), POLLOUT);
        assertEquals(new Report(newcomer, POLLOUT), Awaits.only(poller));
    }

    @EachMechanism
    void aNumberThatWasRemovedBeforeItWasClosedIsTheNewcomers(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        for (int i = 0; i < 20; i++) {
            DatagramChannel old = lab.withHighNumber(lab::datagram);
            Member member = poller.add(old, POLLOUT);
            assertEquals(1, Awaits.poll(poller));
            member.remove();
            old.close();
            DatagramChannel fresh = lab.datagramWithNumber(member.descriptor());
            Member newcomer = poller.add(fresh, POLLIN);
            assertEquals(0, Awaits.poll(poller));
            newcomer.modify(POLLOUT);
            assertEquals(newcomer, Awaits.only(poller).member());
            newcomer.remove();
            fresh.close();
        }
    }

    @EachMechanism
    void aWakeupAndOtherMembersWorkBesideAClosedOne(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        DatagramChannel channel = lab.withHighNumber(lab::datagram);
        poller.add(channel, POLLIN);
        channel.close();
        Awaits.poll(poller);
        Member other = poller.add(lab.fedPipe().source(), POLLIN | Poller.ONESHOT);
        assertEquals(new Report(other, POLLIN), Awaits.only(poller));
        poller.wakeup();
        assertEquals(0, Form.HANDLER.await(poller, Awaits.FOR_EVER));
    }

    /** A member that is the FileDescriptor of a fifo, closed since; who has its number now has something to read. */
    private static Member closedFile(PollerLab lab, Poller poller) throws Exception {
        Fifo fifo = lab.opened(new Fifo());
        RandomAccessFile file =
                lab.withHighNumber(() -> lab.opened(new RandomAccessFile(fifo.path().toFile(), "rw")));
        FileDescriptor descriptor = file.getFD();
        Member member = poller.add(descriptor, POLLIN | POLLOUT);
        file.close();
        DatagramChannel other = lab.datagramWithNumber(member.descriptor());
        Io.send(other.connect(other.getLocalAddress()));
        return member;
    }

    private static void assertReportedOnceIf(boolean told, Poller poller, Member member) throws Exception {
        List<Report> reports = Form.HANDLER.reports(poller, 0);
        if (told || !reports.isEmpty()) {
            assertEquals(List.of(new Report(member, POLLNVAL)), reports);
            String reason = member.refusal().getMessage();
            assertTrue(reason.contains("closed without being removed"), reason);
            assertTrue(reason.contains(Integer.toString(member.descriptor())), reason);
        }
        for (int i = 0; i < 3; i++) {
            assertEquals(List.of(), Form.values()[i].reports(poller, 0));
        }
        Awaits.assertSleeps(poller);
        assertEquals(1, poller.size());
    }

    private static void assertRefusedOrInvalid(Poller poller, Member member, Io.Step change) throws Exception {
        try {
            change.run();
        } catch (IOException e) {
            assertTrue(e.getMessage().contains(Integer.toString(member.descriptor())), e.toString());
            List<Report> reports = Form.HANDLER.reports(poller, 0); // what was asked for before may still be
            assertTrue(reports.isEmpty() || reports.equals(List.of(new Report(member, POLLNVAL))), reports.toString());
            Awaits.assertSleeps(poller);
            return;
        }
        assertEquals(new Report(member, POLLNVAL), Awaits.only(poller));
        assertTrue(member.refusal().getMessage().contains(Integer.toString(member.descriptor())));
        Awaits.assertSleeps(poller);
    }
}
