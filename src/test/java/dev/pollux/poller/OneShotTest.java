// SPDX-License-Identifier: Apache-2.0
package dev.pollux.poller;

import static dev.pollux.Poller.ONESHOT;
import static dev.pollux.Poller.POLLIN;
import static dev.pollux.Poller.POLLOUT;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.ClosedPollerException;
import dev.pollux.Poller;
import dev.pollux.Poller.Member;
import dev.pollux.lab.Io;
import dev.pollux.lab.Job;
import dev.pollux.lab.Workbench.Connection;
import java.io.IOException;
import java.nio.ByteBuffer;
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
    void aChangeOfEventsWaitsUntilTheThreadThatHasTheMemberEnablesIt(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Connection connection = lab.tcp();
        Member member = poller.add(connection.near(), POLLIN | ONESHOT);
        for (Form form : Form.values()) {
            connection.far().write(ByteBuffer.allocate(1));
            assertEquals(1, form.await(poller, Awaits.PATIENCE, (reported, events) -> {
                assertEquals(POLLIN, events);
                member.events(POLLOUT | ONESHOT); // as another thread may
                assertEquals(POLLOUT | ONESHOT, member.events());
                assertEquals(0, Awaits.poll(poller), "given to a second one");
                member.events(POLLIN | POLLOUT | ONESHOT);
            }));
            assertEquals(0, Awaits.poll(poller));
            member.enable();
            assertEquals(new Report(member, POLLIN | POLLOUT), Awaits.only(poller));
            Io.drain(connection.near());
            assertEquals(0, Awaits.poll(poller));
            member.events(POLLIN | ONESHOT);
            member.enable();
            assertEquals(0, Awaits.poll(poller));
        }
    }

    @EachMechanism
    void aChangeOfEventsOfAnEnabledMemberIsInForceAtOnce(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Member member = poller.add(lab.datagram(), POLLIN | ONESHOT);
        Job<Integer> waiting = lab.start(() -> Form.HANDLER.await(poller, Awaits.FOR_EVER));
        waiting.awaitSelecting();
        member.events(POLLOUT | ONESHOT);
        assertEquals(1, waiting.result());
        assertEquals(0, Awaits.poll(poller));
    }

    @EachMechanism
    void aMemberThatIsIteratedToLaterHasTheEventsItWasChangedTo(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Member member = poller.add(lab.datagram(), POLLOUT | ONESHOT);
        poller.await(0, NANOSECONDS); // which it is given by, and does not iterate
        member.events(POLLIN | POLLOUT | ONESHOT);
        assertEquals(new Report(member, POLLOUT), Awaits.only(poller));
        member.disable();
        member.events(POLLIN);
        assertEquals(0, Awaits.poll(poller));
        member.enable();
        assertEquals(0, Awaits.poll(poller));
    }

    @EachMechanism
    void theEventsOfWhatIsGoneCannotBeChanged(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        DatagramChannel channel = lab.datagram();
        Member member = poller.add(channel, POLLOUT | ONESHOT);
        assertEquals(1, Awaits.poll(poller));
        channel.close();
        assertThrows(IOException.class, () -> member.events(POLLIN));
        assertEquals(POLLOUT | ONESHOT, member.events());
        member.remove();
        assertThrows(IllegalStateException.class, () -> member.events(POLLIN));
        poller.close();
        assertThrows(ClosedPollerException.class, () -> member.events(POLLIN));
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
            assertEquals(1, poller.await((member, events) -> member.enable(), Awaits.PATIENCE, NANOSECONDS));
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
        assertEquals(1, poller.await(new int[1], events, 0, NANOSECONDS));
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
