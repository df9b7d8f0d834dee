// SPDX-License-Identifier: Apache-2.0
package dev.pollux.poller;

import static dev.pollux.Poller.POLLIN;
import static dev.pollux.Poller.POLLOUT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.Poller;
import dev.pollux.Poller.Member;
import dev.pollux.lab.Io;
import dev.pollux.lab.Workbench.Connection;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Pipe;

/** Adding and removing, and who is a member. */
class MembershipTest {

    @EachMechanism
    void sizeCountsTheMembers(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Pipe pipe = lab.pipe();
        Member source = poller.add(pipe.source(), POLLIN);
        assertEquals(1, poller.size());
        poller.add(pipe.sink(), POLLOUT);
        assertEquals(2, poller.size());
        source.remove();
        assertEquals(1, poller.size());
    }

    @EachMechanism
    void aSourceIsAMemberFromAddToRemove(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        DatagramChannel channel = lab.datagram();
        assertFalse(poller.isMember(channel));
        Member member = poller.add(channel, POLLIN);
        assertTrue(poller.isMember(channel));
        assertTrue(poller.isMember(member.descriptor()));
        assertTrue(poller.isMember((Object) member.descriptor()));
        member.remove();
        assertFalse(poller.isMember(channel));
        assertFalse(poller.isMember(member.descriptor()));
    }

    @EachMechanism
    void aNumberThatNobodyAddedIsNoMember(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        for (int number : new int[] {-1, 0, 12345, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
            assertFalse(poller.isMember(number));
        }
    }

    @EachMechanism
    void aSecondAddIsRefusedAndChangesNothing(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        DatagramChannel channel = lab.datagram();
        Member first = poller.add(channel, POLLOUT, "first");
        assertThrows(IllegalStateException.class, () -> poller.add(channel, POLLIN, "second"));
        assertThrows(IllegalStateException.class, () -> poller.add(channel.socket(), POLLIN));
        assertThrows(IllegalStateException.class, () -> poller.add(first.descriptor(), POLLIN));
        assertEquals(1, poller.size());
        assertEquals(new Report(first, POLLOUT), Awaits.only(poller));
        assertEquals("first", first.attachment());
    }

    @EachMechanism
    void theExceptionNamesTheDescriptor(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        int descriptor = poller.add(lab.datagram(), POLLIN).descriptor();
        IllegalStateException twice = assertThrows(IllegalStateException.class, () -> poller.add(descriptor, POLLIN));
        assertTrue(twice.getMessage().contains(Integer.toString(descriptor)), twice.toString());
    }

    @EachMechanism
    void aRemovedMemberIsNotReported(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Member member = poller.add(lab.datagram(), POLLOUT);
        assertEquals(1, Awaits.poll(poller));
        member.remove();
        Awaits.assertSleeps(poller);
    }

    @EachMechanism
    void aRemovedSourceCanBeAddedAgain(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Pipe pipe = lab.fedPipe();
        for (int i = 0; i < 50; i++) {
            Member member = poller.add(pipe.source(), POLLIN, i);
            assertEquals(new Report(member, POLLIN), Awaits.only(poller));
            assertEquals(i, member.attachment());
            member.remove();
        }
        assertEquals(0, Awaits.poll(poller));
    }

    @EachMechanism
    void aMemberThatWasAddedAndRemovedBetweenTwoAwaitsIsNotReported(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        poller.add(lab.datagram(), POLLOUT).remove();
        assertEquals(0, Awaits.poll(poller));
    }

    @EachMechanism
    void aModificationReplacesTheEventsAndKeepsTheAttachment(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Connection connection = lab.tcp();
        Member member = poller.add(connection.near(), POLLIN, "kept");
        assertEquals(0, Awaits.poll(poller));
        member.modify(POLLOUT);
        Io.send(connection.far());
        assertEquals(new Report(member, POLLOUT), Awaits.only(poller));
        member.modify(POLLIN | POLLOUT);
        assertEquals(new Report(member, POLLIN | POLLOUT), Awaits.only(poller));
        member.modify(POLLIN);
        assertEquals(new Report(member, POLLIN), Awaits.only(poller));
        assertEquals("kept", member.attachment());
    }

    @EachMechanism
    void aModificationToTheSameEventsChangesNothing(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Member member = poller.add(lab.datagram(), POLLOUT);
        member.modify(POLLOUT);
        assertEquals(1, Awaits.poll(poller));
    }

    @EachMechanism
    void capacityIsTheGreatestNumberOfMembers(PollerLab lab) throws Exception {
        Poller poller = lab.poller(2);
        DatagramChannel third = lab.datagram();
        poller.add(lab.datagram(), POLLOUT);
        poller.add(lab.datagram(), POLLOUT);
        assertThrows(IllegalStateException.class, () -> poller.add(third, POLLOUT));
        assertEquals(2, poller.size());
        assertFalse(poller.isMember(third));
        assertEquals(2, Awaits.poll(poller));
    }

    @EachMechanism
    void aDisabledMemberCountsAndARemovedOneDoesNot(PollerLab lab) throws Exception {
        Poller poller = lab.poller(1);
        DatagramChannel second = lab.datagram();
        Member first = poller.add(lab.datagram(), POLLOUT);
        first.disable();
        assertThrows(IllegalStateException.class, () -> poller.add(second, POLLOUT));
        first.remove();
        assertEquals(poller.add(second, POLLOUT), Awaits.only(poller).member());
    }

    @EachMechanism
    void anAddThatWasRefusedTakesNoPlace(PollerLab lab) throws Exception {
        Poller poller = lab.poller(1);
        assertThrows(IllegalArgumentException.class, () -> poller.add(-1, POLLOUT));
        DatagramChannel channel = lab.datagram();
        assertThrows(IllegalArgumentException.class, () -> poller.add(channel, 1 << 7));
        poller.add(channel, POLLOUT);
        assertEquals(1, poller.size());
    }
}
