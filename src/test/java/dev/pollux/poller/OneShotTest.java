// SPDX-License-Identifier: Apache-2.0
package dev.pollux.poller;

import static dev.pollux.Poller.ONESHOT;
import static dev.pollux.Poller.POLLIN;
import static dev.pollux.Poller.POLLOUT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.Poller;
import dev.pollux.lab.Io;
import dev.pollux.lab.Workbench.Connection;
import java.nio.channels.DatagramChannel;
import java.util.List;

/** Entries that disable themselves when they are reported. */
class OneShotTest {

    @EachMechanism
    void aOneShotEntryIsReportedOnceByEveryForm(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        DatagramChannel channel = lab.datagram();
        int descriptor = poller.add(channel, POLLOUT | ONESHOT);
        for (Form form : Form.values()) {
            assertEquals(List.of(new Report(descriptor, POLLOUT, null)), form.reports(poller, Awaits.PATIENCE));
            assertEquals(0, form.await(poller, 0));
            poller.enable(channel);
        }
    }

    @EachMechanism
    void aReportedEntryStaysAMember(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        DatagramChannel channel = lab.datagram();
        poller.add(channel, POLLOUT | ONESHOT);
        assertEquals(1, Awaits.poll(poller));
        assertTrue(poller.isMember(channel));
        Awaits.assertSleeps(poller);
    }

    @EachMechanism
    void anEnabledEntryIsReportedOnceMore(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        DatagramChannel channel = lab.datagram();
        int descriptor = poller.add(channel, POLLOUT | ONESHOT, "kept");
        for (int i = 0; i < 20; i++) {
            assertEquals(new Report(descriptor, POLLOUT, "kept"), Awaits.only(poller));
            assertEquals(0, Awaits.poll(poller));
            poller.enable(channel);
        }
    }

    @EachMechanism
    void aModifiedEntryIsReportedOnceMore(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        DatagramChannel channel = lab.datagram();
        poller.add(channel, POLLOUT | ONESHOT);
        for (int i = 0; i < 20; i++) {
            assertEquals(1, Awaits.poll(poller));
            assertEquals(0, Awaits.poll(poller));
            poller.modify(channel, POLLOUT | ONESHOT);
        }
    }

    @EachMechanism
    void aModificationMakesAOneShotEntryOfALastingOneAndBack(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        DatagramChannel channel = lab.datagram();
        poller.add(channel, POLLOUT);
        assertEquals(1, Awaits.poll(poller));
        poller.modify(channel, POLLOUT | ONESHOT);
        assertEquals(1, Awaits.poll(poller));
        assertEquals(0, Awaits.poll(poller));
        poller.modify(channel, POLLOUT);
        assertEquals(1, Awaits.poll(poller));
        assertEquals(1, Awaits.poll(poller));
    }

    @EachMechanism
    void oneOfTwoEventsDisablesBoth(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Connection connection = lab.tcp();
        poller.add(connection.near(), POLLIN | POLLOUT | ONESHOT);
        assertEquals(POLLOUT, Awaits.only(poller).events());
        Io.send(connection.far());
        Awaits.assertSleeps(poller);
        poller.enable(connection.near());
        assertEquals(POLLIN | POLLOUT, Awaits.only(poller).events());
        assertEquals(0, Awaits.poll(poller));
    }

    @EachMechanism
    void theHandlerEnablesTheEntryItIsGiven(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        DatagramChannel channel = lab.datagram();
        poller.add(channel, POLLOUT | ONESHOT);
        for (int i = 0; i < 20; i++) {
            assertEquals(1, poller.await((descriptor, events, attachment) -> poller.enable(descriptor), Awaits.PATIENCE));
        }
    }

    @EachMechanism
    void aDisabledOneShotEntryIsReportedWhenItIsEnabled(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        DatagramChannel channel = lab.datagram();
        poller.add(channel, POLLOUT | ONESHOT);
        poller.disable(channel);
        assertEquals(0, Awaits.poll(poller));
        poller.enable(channel);
        assertEquals(1, Awaits.poll(poller));
        assertEquals(0, Awaits.poll(poller));
    }

    @EachMechanism
    void theReportedEventsDoNotSayOneShot(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        poller.add(lab.datagram(), POLLOUT | ONESHOT);
        short[] events = new short[1];
        assertEquals(1, poller.await(new int[1], events, 0));
        assertEquals(POLLOUT, events[0]);
    }

    @EachMechanism
    void otherEntriesLastBesideOneShotEntries(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        int lasting = poller.add(lab.datagram(), POLLOUT);
        for (int i = 0; i < 10; i++) {
            poller.add(lab.datagram(), POLLOUT | ONESHOT);
        }
        assertEquals(11, Awaits.reports(poller).size());
        for (int i = 0; i < 5; i++) {
            assertEquals(lasting, Awaits.only(poller).descriptor());
        }
    }
}
