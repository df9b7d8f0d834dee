// SPDX-License-Identifier: Apache-2.0
package dev.pollux.poller;

import static dev.pollux.Poller.POLLIN;
import static dev.pollux.Poller.POLLOUT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.Poller;
import dev.pollux.lab.Io;
import dev.pollux.lab.Workbench.Connection;
import java.nio.channels.DatagramChannel;

/** Entries that keep their place and are not watched for a while. */
class DisableTest {

    @EachMechanism
    void aDisabledEntryStaysAMemberAndIsNotReported(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        DatagramChannel channel = lab.datagram();
        poller.add(channel, POLLOUT);
        poller.disable(channel);
        assertTrue(poller.isMember(channel));
        assertEquals(1, poller.size());
        Awaits.assertSleeps(poller);
    }

    @EachMechanism
    void anEnabledEntryHasItsEventsAndItsAttachmentAgain(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        DatagramChannel channel = lab.datagram();
        int descriptor = poller.add(channel, POLLOUT, "kept");
        for (int i = 0; i < 20; i++) {
            poller.disable(descriptor);
            assertEquals(0, Awaits.poll(poller));
            poller.enable(channel);
            assertEquals(new Report(descriptor, POLLOUT, "kept"), Awaits.only(poller));
        }
    }

    @EachMechanism
    void whatHappenedWhileAnEntryWasDisabledIsReportedThen(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Connection connection = lab.tcp();
        poller.add(connection.near(), POLLIN);
        poller.disable(connection.near());
        Io.send(connection.far());
        assertEquals(0, Awaits.poll(poller));
        poller.enable(connection.near());
        assertEquals(POLLIN, Awaits.only(poller).events());
    }

    @EachMechanism
    void disablingTwiceIsDisablingOnce(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        DatagramChannel channel = lab.datagram();
        poller.add(channel, POLLOUT);
        poller.disable(channel);
        poller.disable(channel);
        poller.enable(channel);
        assertEquals(1, Awaits.poll(poller));
    }

    @EachMechanism
    void enablingAnEnabledEntryChangesNothing(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        DatagramChannel channel = lab.datagram();
        poller.add(channel, POLLOUT);
        poller.enable(channel);
        poller.enable(channel);
        assertEquals(1, Awaits.poll(poller));
        poller.disable(channel);
        assertEquals(0, Awaits.poll(poller));
    }

    @EachMechanism
    void aModificationEnablesADisabledEntry(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        DatagramChannel channel = lab.datagram();
        int descriptor = poller.add(channel, POLLIN, "kept");
        poller.disable(channel);
        poller.modify(channel, POLLOUT);
        assertEquals(new Report(descriptor, POLLOUT, "kept"), Awaits.only(poller));
    }

    @EachMechanism
    void aDisabledEntryReportsNoHangUp(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Connection connection = lab.tcp();
        poller.add(connection.near(), POLLIN);
        poller.disable(connection.near());
        connection.near().shutdownOutput();
        connection.far().close();
        Awaits.assertSleeps(poller);
    }

    @EachMechanism
    void aDisabledEntryCanBeRemovedAndAddedAgain(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        DatagramChannel channel = lab.datagram();
        poller.add(channel, POLLOUT, "old");
        poller.disable(channel);
        poller.remove(channel);
        poller.add(channel, POLLOUT, "new");
        assertEquals("new", Awaits.only(poller).attachment());
    }
}
