// SPDX-License-Identifier: Apache-2.0
package dev.pollux.poller;

import static dev.pollux.Poller.POLLIN;
import static dev.pollux.Poller.POLLOUT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.Poller;
import dev.pollux.lab.Io;
import dev.pollux.lab.Workbench.Connection;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Pipe;
import java.util.NoSuchElementException;

/** Adding, modifying, removing, and who is a member. */
class MembershipTest {

    @EachMechanism
    void sizeCountsTheMembers(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Pipe pipe = lab.pipe();
        poller.add(pipe.source(), POLLIN);
        assertEquals(1, poller.size());
        poller.add(pipe.sink(), POLLOUT);
        assertEquals(2, poller.size());
        poller.remove(pipe.source());
        assertEquals(1, poller.size());
    }

    @EachMechanism
    void aSourceIsAMemberFromAddToRemove(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        DatagramChannel channel = lab.datagram();
        assertFalse(poller.isMember(channel));
        int descriptor = poller.add(channel, POLLIN);
        assertTrue(poller.isMember(channel));
        assertTrue(poller.isMember(descriptor));
        assertTrue(poller.isMember((Object) descriptor));
        poller.remove(channel);
        assertFalse(poller.isMember(channel));
        assertFalse(poller.isMember(descriptor));
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
        int descriptor = poller.add(channel, POLLOUT, "first");
        assertThrows(IllegalStateException.class, () -> poller.add(channel, POLLIN, "second"));
        assertThrows(IllegalStateException.class, () -> poller.add(channel.socket(), POLLIN));
        assertThrows(IllegalStateException.class, () -> poller.add(descriptor, POLLIN));
        assertThrows(IllegalStateException.class, () -> poller.add((Object) descriptor, POLLIN));
        assertEquals(1, poller.size());
        assertEquals(new Report(descriptor, POLLOUT, "first"), Awaits.only(poller));
    }

    @EachMechanism
    void aStrangerIsRefused(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        DatagramChannel channel = lab.datagram();
        poller.add(lab.datagram(), POLLIN);
        assertThrows(NoSuchElementException.class, () -> poller.modify(channel, POLLIN));
        assertThrows(NoSuchElementException.class, () -> poller.remove(channel));
        assertThrows(NoSuchElementException.class, () -> poller.enable(channel));
        assertThrows(NoSuchElementException.class, () -> poller.disable(channel));
        assertEquals(1, poller.size());
    }

    @EachMechanism
    void aStrangersNumberIsRefused(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        for (int number : new int[] {-1, 0, 12345, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
            assertThrows(NoSuchElementException.class, () -> poller.modify(number, POLLIN));
            assertThrows(NoSuchElementException.class, () -> poller.remove(number));
            assertThrows(NoSuchElementException.class, () -> poller.enable(number));
            assertThrows(NoSuchElementException.class, () -> poller.disable(number));
        }
    }

    @EachMechanism
    void theExceptionsNameTheDescriptor(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        int descriptor = poller.add(lab.datagram(), POLLIN);
        IllegalStateException twice = assertThrows(IllegalStateException.class, () -> poller.add(descriptor, POLLIN));
        assertTrue(twice.getMessage().contains(Integer.toString(descriptor)), twice.toString());
        NoSuchElementException stranger = assertThrows(NoSuchElementException.class, () -> poller.remove(12345));
        assertTrue(stranger.getMessage().contains("12345"), stranger.toString());
    }

    @EachMechanism
    void aRemovedEntryIsNotReported(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        DatagramChannel channel = lab.datagram();
        poller.add(channel, POLLOUT);
        assertEquals(1, Awaits.poll(poller));
        poller.remove(channel);
        Awaits.assertSleeps(poller);
    }

    @EachMechanism
    void aRemovedSourceCanBeAddedAgain(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Pipe pipe = lab.fedPipe();
        for (int i = 0; i < 50; i++) {
            int descriptor = poller.add(pipe.source(), POLLIN, i);
            assertEquals(new Report(descriptor, POLLIN, i), Awaits.only(poller));
            poller.remove(pipe.source());
        }
        assertEquals(0, Awaits.poll(poller));
    }

    @EachMechanism
    void anEntryThatWasAddedAndRemovedBetweenTwoAwaitsIsNotReported(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        DatagramChannel channel = lab.datagram();
        poller.add(channel, POLLOUT);
        poller.remove(channel);
        assertEquals(0, Awaits.poll(poller));
    }

    @EachMechanism
    void aModificationReplacesTheEventsAndKeepsTheAttachment(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Connection connection = lab.tcp();
        int descriptor = poller.add(connection.near(), POLLIN, "kept");
        assertEquals(0, Awaits.poll(poller));
        poller.modify(connection.near(), POLLOUT);
        Io.send(connection.far());
        assertEquals(new Report(descriptor, POLLOUT, "kept"), Awaits.only(poller));
        poller.modify(descriptor, POLLIN | POLLOUT);
        assertEquals(new Report(descriptor, POLLIN | POLLOUT, "kept"), Awaits.only(poller));
        poller.modify((Object) descriptor, POLLIN);
        assertEquals(new Report(descriptor, POLLIN, "kept"), Awaits.only(poller));
    }

    @EachMechanism
    void aModificationToTheSameEventsChangesNothing(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        DatagramChannel channel = lab.datagram();
        poller.add(channel, POLLOUT);
        poller.modify(channel, POLLOUT);
        assertEquals(1, Awaits.poll(poller));
    }

    @EachMechanism
    void capacityIsTheGreatestNumberOfMembers(PollerLab lab) throws Exception {
        Poller poller = lab.poller(2);
        DatagramChannel first = lab.datagram();
        DatagramChannel third = lab.datagram();
        poller.add(first, POLLOUT);
        poller.add(lab.datagram(), POLLOUT);
        assertThrows(IllegalStateException.class, () -> poller.add(third, POLLOUT));
        assertEquals(2, poller.size());
        assertFalse(poller.isMember(third));
        assertEquals(2, Awaits.poll(poller));
    }

    @EachMechanism
    void aDisabledMemberCountsAndARemovedOneDoesNot(PollerLab lab) throws Exception {
        Poller poller = lab.poller(1);
        DatagramChannel first = lab.datagram();
        DatagramChannel second = lab.datagram();
        poller.add(first, POLLOUT);
        poller.disable(first);
        assertThrows(IllegalStateException.class, () -> poller.add(second, POLLOUT));
        poller.remove(first);
        poller.add(second, POLLOUT, "second");
        assertEquals("second", Awaits.only(poller).attachment());
    }

    @EachMechanism
    void anAddThatWasRefusedTakesNoPlace(PollerLab lab) throws Exception {
        Poller poller = lab.poller(1);
        assertThrows(IllegalArgumentException.class, () -> poller.add("nothing", POLLOUT));
        DatagramChannel channel = lab.datagram();
        assertThrows(IllegalArgumentException.class, () -> poller.add(channel, 1 << 7));
        poller.add(channel, POLLOUT);
        assertEquals(1, poller.size());
    }
}
