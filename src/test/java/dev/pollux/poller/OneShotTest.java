// SPDX-License-Identifier: Apache-2.0
package dev.pollux.poller;

import static dev.pollux.Poller.ONESHOT;
import static dev.pollux.Poller.POLLIN;
import static dev.pollux.Poller.POLLOUT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.Poller;
import dev.pollux.Poller.Member;
import dev.pollux.lab.Io;
import dev.pollux.lab.Workbench.Connection;
import java.nio.channels.DatagramChannel;
import java.util.List;

/** Members that disable themselves when they are reported. */
class OneShotTest {

    @EachMechanism
    void aOneShotMemberIsReportedOnceByEveryForm(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Member member = poller.add(lab.datagram(), POLLOUT | ONESHOT);
        for (Form form : Form.values()) {
            assertEquals(List.of(new Report(member, POLLOUT)), form.reports(poller, Awaits.PATIENCE));
            assertEquals(0, form.await(poller, 0));
            member.enable();
        }
    }

    @EachMechanism
    void aReportedMemberStaysAMember(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        DatagramChannel channel = lab.datagram();
        poller.add(channel, POLLOUT | ONESHOT);
        assertEquals(1, Awaits.poll(poller));
        assertTrue(poller.isMember(channel));
        Awaits.assertSleeps(poller);
    }

    @EachMechanism
    void anEnabledMemberIsReportedOnceMore(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Member member = poller.add(lab.datagram(), POLLOUT | ONESHOT, "kept");
        for (int i = 0; i < 20; i++) {
            assertEquals(new Report(member, POLLOUT), Awaits.only(poller));
            assertEquals("kept", member.attachment());
            assertEquals(0, Awaits.poll(poller));
            member.enable();
        }
    }

    @EachMechanism
    void aModifiedMemberIsReportedOnceMore(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Member member = poller.add(lab.datagram(), POLLOUT | ONESHOT);
        for (int i = 0; i < 20; i++) {
            assertEquals(1, Awaits.poll(poller));
            assertEquals(0, Awaits.poll(poller));
            member.modify(POLLOUT | ONESHOT);
        }
    }

    @EachMechanism
    void aModificationMakesAOneShotMemberOfALastingOneAndBack(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Member member = poller.add(lab.datagram(), POLLOUT);
        assertEquals(1, Awaits.poll(poller));
        member.modify(POLLOUT | ONESHOT);
        assertEquals(1, Awaits.poll(poller));
        assertEquals(0, Awaits.poll(poller));
        member.modify(POLLOUT);
        assertEquals(1, Awaits.poll(poller));
        assertEquals(1, Awaits.poll(poller));
    }

    @EachMechanism
    void oneOfTwoEventsDisablesBoth(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Connection connection = lab.tcp();
        Member member = poller.add(connection.near(), POLLIN | POLLOUT | ONESHOT);
        assertEquals(POLLOUT, Awaits.only(poller).events());
        Io.send(connection.far());
        Awaits.assertSleeps(poller);
        member.enable();
        assertEquals(POLLIN | POLLOUT, Awaits.only(poller).events());
        assertEquals(0, Awaits.poll(poller));
    }

    @EachMechanism
    void theHandlerEnablesTheMemberItIsGiven(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        poller.add(lab.datagram(), POLLOUT | ONESHOT);
        for (int i = 0; i < 20; i++) {
            assertEquals(1, poller.await((member, events) -> member.enable(), Awaits.PATIENCE));
        }
    }

    @EachMechanism
    void aDisabledOneShotMemberIsReportedWhenItIsEnabled(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Member member = poller.add(lab.datagram(), POLLOUT | ONESHOT);
        member.disable();
        assertEquals(0, Awaits.poll(poller));
        member.enable();
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
    void otherMembersLastBesideOneShotMembers(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Member lasting = poller.add(lab.datagram(), POLLOUT);
        for (int i = 0; i < 10; i++) {
            poller.add(lab.datagram(), POLLOUT | ONESHOT);
        }
        assertEquals(11, Awaits.reports(poller).size());
        for (int i = 0; i < 5; i++) {
            assertEquals(lasting, Awaits.only(poller).member());
        }
    }
}
