// SPDX-License-Identifier: Apache-2.0
package dev.pollux.poller;

import static dev.pollux.Poller.POLLIN;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.Poller;
import dev.pollux.Poller.Member;
import dev.pollux.lab.Descriptors;
import dev.pollux.lab.ForeignChannel;
import dev.pollux.lab.Workbench.Connection;
import java.io.FileDescriptor;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.DatagramChannel;
import java.nio.channels.ServerSocketChannel;

/** Members that are looked for by number and by source. */
class FindTest {

    @EachMechanism
    void aChannelIsFoundByItselfItsSocketAndItsNumber(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        DatagramChannel datagram = lab.datagram();
        assertFound(poller, poller.add(datagram, POLLIN), datagram, datagram.socket());
        Connection connection = lab.tcp();
        assertFound(poller, poller.add(connection.near(), POLLIN), connection.near(), connection.near().socket());
        ServerSocketChannel listener = lab.listener();
        assertFound(poller, poller.add(listener.socket(), POLLIN), listener, listener.socket());
    }

    @EachMechanism
    void aSocketIsFoundByItselfAndItsNumber(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        ServerSocket server = lab.opened(new ServerSocket(0, 1, InetAddress.getLoopbackAddress()));
        assertFound(poller, poller.add(server, POLLIN), server);
        Socket socket = lab.opened(new Socket(InetAddress.getLoopbackAddress(), server.getLocalPort()));
        assertFound(poller, poller.add(socket, POLLIN), socket);
        DatagramSocket datagram = lab.opened(new DatagramSocket());
        assertFound(poller, poller.add(datagram, POLLIN), datagram);
    }

    @EachMechanism
    void aFileDescriptorIsFoundByItselfAndItsNumber(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Fifo fifo = lab.opened(new Fifo());
        FileDescriptor file = fifo.file().getFD();
        assertFound(poller, poller.add(file, POLLIN), file);
    }

    @EachMechanism
    void whatWasAddedByNumberIsFoundByItsChannelWhileThatIsOpen(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        DatagramChannel channel = lab.datagram();
        Member member = poller.add(Descriptors.numberOf(channel), POLLIN);
        assertFound(poller, member, channel, channel.socket());
        member.remove();
        assertFalse(poller.isMember(channel));
    }

    @EachMechanism
    void aClosedSourceIsFound(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        DatagramChannel channel = lab.withHighNumber(lab::datagram);
        ServerSocket server = lab.opened(new ServerSocket(0, 1, InetAddress.getLoopbackAddress()));
        Member ofChannel = poller.add(channel, POLLIN);
        Member ofServer = poller.add(server, POLLIN);
        channel.close();
        server.close();
        assertFound(poller, ofChannel, channel, channel.socket());
        assertFound(poller, ofServer, server);
    }

    @EachMechanism
    void aClosedFileDescriptorIsFound(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Fifo fifo = lab.opened(new Fifo());
        FileDescriptor file = fifo.file().getFD();
        Member member = poller.add(file, POLLIN);
        fifo.file().close();
        assertFound(poller, member, file);
    }

    @EachMechanism
    void theNewOwnerOfAClosedOnesNumberIsNotFound(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        DatagramChannel old = lab.withHighNumber(lab::datagram);
        Member member = poller.add(old, POLLIN);
        old.close();
        DatagramChannel fresh = lab.datagramWithNumber(member.descriptor());
        assertNull(poller.find(fresh));
        assertFound(poller, member, old);
    }

    @EachMechanism
    void whatIsNoMemberIsNotFound(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        poller.add(lab.datagram(), POLLIN);
        Object[] strangers = {lab.datagram(), lab.tcp().near().socket(), lab.opened(new ServerSocket()),
            lab.opened(new Socket()), lab.opened(new DatagramSocket()), FileDescriptor.in, new FileDescriptor(), 12345};
        for (Object stranger : strangers) {
            assertNull(poller.find(stranger));
            assertFalse(poller.isMember(stranger));
        }
        for (int number : new int[] {-1, 0, 12345, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
            assertNull(poller.find(number));
            assertFalse(poller.isMember(number));
        }
    }

    @EachMechanism
    void aRemovedMemberIsNotFound(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        DatagramChannel channel = lab.datagram();
        Member member = poller.add(channel, POLLIN);
        member.remove();
        assertNull(poller.find(channel));
        assertNull(poller.find(member.descriptor()));
        channel.close();
        assertNull(poller.find(channel));
    }

    @EachMechanism
    void whatCanBeNoMemberIsRefused(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        for (Object nothing : new Object[] {null, "socket", 5L, new Object(), poller}) {
            assertThrows(IllegalArgumentException.class, () -> poller.find(nothing));
            assertThrows(IllegalArgumentException.class, () -> poller.isMember(nothing));
        }
        ForeignChannel foreign = lab.opened(new ForeignChannel(lab.provider()));
        assertThrows(IllegalArgumentException.class, () -> poller.find(foreign));
    }

    private static void assertFound(Poller poller, Member member, Object... sources) {
        assertSame(member, poller.find(member.descriptor()));
        assertSame(member, poller.find((Object) member.descriptor()));
        assertTrue(poller.isMember(member.descriptor()));
        for (Object source : sources) {
            assertSame(member, poller.find(source), source.toString());
            assertTrue(poller.isMember(source));
        }
    }
}
