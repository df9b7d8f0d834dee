// SPDX-License-Identifier: Apache-2.0
package dev.pollux.poller;

import static dev.pollux.Poller.POLLIN;
import static dev.pollux.Poller.POLLOUT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.Poller;
import dev.pollux.Poller.Member;
import dev.pollux.lab.Io;
import dev.pollux.lab.Workbench.Connection;
import java.nio.channels.DatagramChannel;

/** Members that keep their place and are not watched for a while. */
class DisableTest {

    @EachMechanism
    void aDisabledMemberStaysAMemberAndIsNotReported(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        DatagramChannel channel = lab.datagram();
        poller.add(channel, POLLOUT).disable();
        assertTrue(poller.isMember(channel));
        assertEquals(1, poller.size());
        Awaits.assertSleeps(poller);
    }

    @EachMechanism
    void anEnabledMemberHasItsEventsAndItsAttachmentAgain(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Member member = poller.add(lab.datagram(), POLLOUT, "kept");
        for (int i = 0; i < 20; i++) {
            member.disable();
            assertEquals(0, Awaits.poll(poller));
            assertEquals(POLLOUT, member.events());
            member.enable();
            assertEquals(new Report(member, POLLOUT), Awaits.only(poller));
            assertEquals("kept", member.attachment());
        }
    }

    @EachMechanism
    void whatHappenedWhileAMemberWasDisabledIsReportedThen(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Connection connection = lab.tcp();
        Member member = poller.add(connection.near(), POLLIN);
        member.disable();
        Io.send(connection.far());
        assertEquals(0, Awaits.poll(poller));
        member.enable();
        assertEquals(POLLIN, Awaits.only(poller).events());
    }

    @EachMechanism
    void disablingTwiceIsDisablingOnce(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Member member = poller.add(lab.datagram(), POLLOUT);
        member.disable();
        member.disable();
        member.enable();
        assertEquals(1, Awaits.poll(poller));
    }

    @EachMechanism
    void enablingAnEnabledMemberChangesNothing(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Member member = poller.add(lab.datagram(), POLLOUT);
        member.enable();
        member.enable();
        assertEquals(1, Awaits.poll(poller));
        member.disable();
        assertEquals(0, Awaits.poll(poller));
    }

    @EachMechanism
    void aModificationEnablesADisabledMember(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Member member = poller.add(lab.datagram(), POLLIN, "kept");
        member.disable();
        member.modify(POLLOUT);
        assertEquals(new Report(member, POLLOUT), Awaits.only(poller));
        assertEquals("kept", member.attachment());
    }

    @EachMechanism
    void aDisabledMemberReportsNoHangUp(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Connection connection = lab.tcp();
        poller.add(connection.near(), POLLIN).disable();
        connection.near().shutdownOutput();
        connection.far().close();
        Awaits.assertSleeps(poller);
    }

    @EachMechanism
    void aDisabledMemberCanBeRemovedAndItsSourceAddedAgain(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        DatagramChannel channel = lab.datagram();
        Member old = poller.add(channel, POLLOUT);
        old.disable();
        old.remove();
        Member fresh = poller.add(channel, POLLOUT);
        assertEquals(new Report(fresh, POLLOUT), Awaits.only(poller));
    }
}
