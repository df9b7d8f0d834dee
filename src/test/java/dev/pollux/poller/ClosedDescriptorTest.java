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
import dev.pollux.lab.Descriptors;
import dev.pollux.lab.Io;
import dev.pollux.lab.Job;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.DatagramChannel;
import java.util.ArrayList;
import java.util.List;

/** Descriptors that were closed without being removed. */
class ClosedDescriptorTest {

    @EachMechanism
    void aClosedDescriptorIsReportedOnceWhereTheSystemTells(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        DatagramChannel channel = withHighNumber(lab);
        int descriptor = poller.add(channel, POLLOUT, "attachment");
        channel.close();
        List<Report> reports = Form.HANDLER.reports(poller, 0);
        if (lab.isPoll() || !reports.isEmpty()) {
            assertEquals(List.of(new Report(descriptor, POLLNVAL, "attachment")), reports);
        }
        Awaits.assertSleeps(poller);
    }

    @EachMechanism
    void everyFormReportsAClosedDescriptorOnce(PollerLab lab) throws Exception {
        assumeTrue(lab.isPoll(), "only poll(2) is sure to tell");
        for (Form form : Form.values()) {
            Poller poller = lab.poller();
            DatagramChannel channel = withHighNumber(lab);
            int descriptor = poller.add(channel, POLLIN);
            channel.close();
            assertEquals(List.of(new Report(descriptor, POLLNVAL, null)), form.reports(poller, Awaits.FOR_EVER));
            assertEquals(0, form.await(poller, 0));
        }
    }

    @EachMechanism
    void aClosedDescriptorThatIsEnabledAgainIsRefusedOrReportedAgain(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        DatagramChannel channel = withHighNumber(lab);
        int descriptor = poller.add(channel, POLLIN);
        poller.disable(channel);
        channel.close();
        assertRefusedOrInvalid(poller, descriptor, () -> poller.enable(descriptor));
    }

    @EachMechanism
    void aClosedDescriptorThatIsModifiedIsRefusedOrReported(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        DatagramChannel channel = withHighNumber(lab);
        int descriptor = poller.add(channel, POLLIN);
        channel.close();
        assertRefusedOrInvalid(poller, descriptor, () -> poller.modify(descriptor, POLLOUT));
    }

    @EachMechanism
    void aClosedDescriptorThatIsAddedIsRefusedOrReported(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        DatagramChannel channel = withHighNumber(lab);
        int descriptor = Descriptors.numberOf(channel);
        channel.close();
        assertRefusedOrInvalid(poller, descriptor, () -> poller.add(descriptor, POLLOUT));
    }

    @EachMechanism
    void aClosedDescriptorThatIsAddedDuringAnAwaitEndsItOrIsRefused(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        DatagramChannel channel = withHighNumber(lab);
        int descriptor = Descriptors.numberOf(channel);
        channel.close();
        Job<List<Report>> job = lab.start(() -> Form.HANDLER.reports(poller, Awaits.FOR_EVER));
        job.awaitSelecting();
        try {
            poller.add(descriptor, POLLOUT);
        } catch (IOException e) {
            poller.wakeup();
            assertEquals(List.of(), job.result());
            return;
        }
        assertEquals(List.of(new Report(descriptor, POLLNVAL, null)), job.result());
    }

    @EachMechanism
    void aClosedChannelCanBeRemoved(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        DatagramChannel channel = withHighNumber(lab);
        int descriptor = poller.add(channel, POLLIN);
        channel.close();
        poller.remove(channel);
        assertEquals(0, poller.size());
        assertFalse(poller.isMember(descriptor));
    }

    @EachMechanism
    void aClosedSocketCanBeRemoved(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        ServerSocket socket = lab.opened(new ServerSocket(0, 1, InetAddress.getLoopbackAddress()));
        poller.add(socket, POLLIN);
        socket.close();
        poller.remove(socket);
        assertEquals(0, poller.size());
    }

    @EachMechanism
    void aClosedDescriptorCanBeRemovedByItsNumber(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        DatagramChannel channel = withHighNumber(lab);
        int descriptor = poller.add(channel, POLLIN);
        channel.close();
        poller.remove(descriptor);
        assertEquals(0, poller.size());
        Awaits.assertSleeps(poller);
    }

    @EachMechanism
    void aClosedChannelIsNotModified(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        DatagramChannel channel = withHighNumber(lab);
        poller.add(channel, POLLIN);
        channel.close();
        assertThrows(ClosedChannelException.class, () -> poller.modify(channel, POLLOUT));
    }

    @EachMechanism
    void theNumberOfAClosedChannelIsTheNewcomers(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        DatagramChannel old = withHighNumber(lab);
        int number = poller.add(old, POLLOUT, "old");
        old.close();
        DatagramChannel fresh = openWithNumber(lab, number);
        assertFalse(poller.isMember(fresh));
        poller.add(fresh, POLLOUT, "new");
        assertEquals(1, poller.size());
        assertEquals(new Report(number, POLLOUT, "new"), Awaits.only(poller));
        assertFalse(poller.isMember(old));
    }

    @EachMechanism
    void theNewcomerTakesNoPlaceOfItsOwn(PollerLab lab) throws Exception {
        Poller poller = lab.poller(1);
        DatagramChannel old = withHighNumber(lab);
        int number = poller.add(old, POLLIN, "old");
        old.close();
        poller.add(openWithNumber(lab, number), POLLOUT, "new");
        assertEquals("new", Awaits.only(poller).attachment());
    }

    @EachMechanism
    void aNumberThatWasRemovedBeforeItWasClosedIsTheNewcomers(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        for (int i = 0; i < 20; i++) {
            DatagramChannel old = withHighNumber(lab);
            int number = poller.add(old, POLLOUT, "old");
            assertEquals(1, Awaits.poll(poller));
            poller.remove(old);
            old.close();
            DatagramChannel fresh = openWithNumber(lab, number);
            poller.add(fresh, POLLIN, "new");
            assertEquals(0, Awaits.poll(poller));
            poller.modify(fresh, POLLOUT);
            assertEquals("new", Awaits.only(poller).attachment());
            poller.remove(fresh);
            fresh.close();
        }
    }

    @EachMechanism
    void aWakeupAndOtherMembersWorkBesideAClosedOne(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        DatagramChannel channel = withHighNumber(lab);
        poller.add(channel, POLLIN);
        channel.close();
        Awaits.poll(poller);
        int other = poller.add(lab.fedPipe().source(), POLLIN | Poller.ONESHOT);
        assertEquals(new Report(other, POLLIN, null), Awaits.only(poller));
        poller.wakeup();
        assertEquals(0, Form.HANDLER.await(poller, Awaits.FOR_EVER));
    }

    /** A channel whose number is none of the lowest ones, which other threads of the VM would take as soon as it is closed. */
    static DatagramChannel withHighNumber(PollerLab lab) throws Exception {
        List<DatagramChannel> lower = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            lower.add(lab.datagram());
        }
        DatagramChannel channel = lab.datagram();
        for (DatagramChannel each : lower) {
            each.close();
        }
        return channel;
    }

    /** Opens channels until one has the number; the kernel hands out the lowest that is free. */
    static DatagramChannel openWithNumber(PollerLab lab, int number) throws Exception {
        for (int i = 0; i < 100; i++) {
            DatagramChannel channel = lab.datagram();
            if (Descriptors.numberOf(channel) == number) {
                return channel;
            }
        }
        throw new AssertionError("descriptor " + number + " did not come again");
    }

    private static void assertRefusedOrInvalid(Poller poller, int descriptor, Io.Step change) throws Exception {
        try {
            change.run();
        } catch (IOException e) {
            assertTrue(e.getMessage().contains(Integer.toString(descriptor)), e.toString());
            Awaits.assertSleeps(poller);
            return;
        }
        assertEquals(POLLNVAL, Awaits.only(poller).events());
        Awaits.assertSleeps(poller);
    }
}
