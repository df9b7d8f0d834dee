// SPDX-License-Identifier: Apache-2.0
package dev.pollux.poller;

import static dev.pollux.Poller.POLLIN;
import static dev.pollux.Poller.POLLOUT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.Poller;
import dev.pollux.Poller.Member;
import dev.pollux.lab.Descriptors;
import dev.pollux.lab.Io;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Pipe;

/** What add takes, by its source's type, each with any attachment. */
class AddTest {

    private enum Colour { RED }

    @EachMechanism
    void aNumberIsTakenWithAnyAttachment(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Pipe pipe = lab.fedPipe();
        int fd = Descriptors.numberOf(pipe.source());
        assertKept(42, poller, poller.add(fd, POLLIN, 42));
        assertKept(42L, poller, poller.add(fd, POLLIN, 42L));
        assertKept((short) 42, poller, poller.add(fd, POLLIN, (short) 42));
        assertKept((byte) 42, poller, poller.add(fd, POLLIN, (byte) 42));
        assertKept('c', poller, poller.add(fd, POLLIN, 'c'));
        assertKept(4.2, poller, poller.add(fd, POLLIN, 4.2));
        assertKept(4.2f, poller, poller.add(fd, POLLIN, 4.2f));
        assertKept(true, poller, poller.add(fd, POLLIN, true));
        assertKept(Colour.RED, poller, poller.add(fd, POLLIN, Colour.RED));
        assertKept(pipe, poller, poller.add(fd, POLLIN, pipe));
        assertKept(null, poller, poller.add(fd, POLLIN, null));
        assertKept(null, poller, poller.add(fd, POLLIN));
        Integer boxed = fd;
        assertKept(boxed, poller, poller.add(boxed, POLLIN, boxed));
    }

    @EachMechanism
    void aChannelIsTakenWithAnyAttachment(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        DatagramChannel channel = lab.datagram();
        Io.send(channel.connect(channel.getLocalAddress()));
        assertKept(42, poller, poller.add(channel, POLLIN, 42));
        assertKept(42L, poller, poller.add(channel, POLLIN, 42L));
        assertKept(channel, poller, poller.add(channel, POLLIN, channel));
        assertKept(null, poller, poller.add(channel, POLLIN, null));
        assertKept(null, poller, poller.add(channel, POLLIN));
    }

    @EachMechanism
    void aSocketIsTakenWithAnyAttachment(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                Socket socket = new Socket(InetAddress.getLoopbackAddress(), listener.getLocalPort());
                Socket accepted = listener.accept()) {
            accepted.getOutputStream().write('x');
            assertKept(42, poller, poller.add(socket, POLLIN, 42));
            assertKept(42L, poller, poller.add(socket, POLLIN, 42L));
            assertKept(accepted, poller, poller.add(socket, POLLIN, accepted));
            assertKept(null, poller, poller.add(socket, POLLIN, null));
            assertKept(null, poller, poller.add(socket, POLLIN));
        }
    }

    @EachMechanism
    void aServerSocketIsTakenWithAnyAttachment(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        ServerSocket server = lab.opened(new ServerSocket(0, 1, InetAddress.getLoopbackAddress()));
        lab.opened(new Socket(InetAddress.getLoopbackAddress(), server.getLocalPort()));
        assertKept(42, poller, poller.add(server, POLLIN, 42));
        assertKept(42L, poller, poller.add(server, POLLIN, 42L));
        assertKept(server, poller, poller.add(server, POLLIN, server));
        assertKept(null, poller, poller.add(server, POLLIN, null));
        assertKept(null, poller, poller.add(server, POLLIN));
    }

    @EachMechanism
    void aDatagramSocketIsTakenWithAnyAttachment(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        DatagramSocket socket = lab.opened(new DatagramSocket(0, InetAddress.getLoopbackAddress()));
        socket.connect(socket.getLocalSocketAddress());
        socket.send(new DatagramPacket(new byte[1], 1));
        assertKept(42, poller, poller.add(socket, POLLIN, 42));
        assertKept(42L, poller, poller.add(socket, POLLIN, 42L));
        assertKept(socket, poller, poller.add(socket, POLLIN, socket));
        assertKept(null, poller, poller.add(socket, POLLIN, null));
        assertKept(null, poller, poller.add(socket, POLLIN));
    }

    @EachMechanism
    void aFileDescriptorIsTakenWithAnyAttachment(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Fifo fifo = lab.opened(new Fifo());
        fifo.file().write('x');
        assertKept(42, poller, poller.add(fifo.file().getFD(), POLLIN, 42));
        assertKept(42L, poller, poller.add(fifo.file().getFD(), POLLIN, 42L));
        assertKept(fifo, poller, poller.add(fifo.file().getFD(), POLLIN, fifo));
        assertKept(null, poller, poller.add(fifo.file().getFD(), POLLIN, null));
        assertKept(null, poller, poller.add(fifo.file().getFD(), POLLIN));
        assertEquals(fifo.number(), poller.add(fifo.file().getFD(), POLLIN).descriptor());
    }

    @EachMechanism
    void theFileDescriptorsOfStreamsTellWhenAFifoIsReadableAndWritable(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Fifo fifo = lab.opened(new Fifo()); // which is open at both ends, so that opening it blocks nobody
        try (FileInputStream in = new FileInputStream(fifo.path().toFile());
                FileOutputStream out = new FileOutputStream(fifo.path().toFile())) {
            Member reader = poller.add(in.getFD(), POLLIN, "reader");
            assertEquals(0, Awaits.poll(poller));
            out.write('x');
            assertEquals(new Report(reader, POLLIN), Awaits.only(poller));
            assertEquals("reader", reader.attachment());
            assertEquals('x', in.read());
            assertEquals(0, Awaits.poll(poller));
            Member writer = poller.add(out.getFD(), POLLOUT);
            assertEquals(new Report(writer, POLLOUT), Awaits.only(poller));
            reader.remove();
            writer.remove();
        }
    }

    @EachMechanism
    void theFileDescriptorOfTheReaderTellsWhenTheWriterIsGone(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Fifo fifo = lab.opened(new Fifo());
        try (FileInputStream in = new FileInputStream(fifo.path().toFile())) {
            Member member = poller.add(in.getFD(), POLLIN);
            assertEquals(0, Awaits.poll(poller));
            fifo.file().close();
            assertTrue((Awaits.only(poller).events() & (POLLIN | Poller.POLLHUP)) != 0);
            assertEquals(-1, in.read());
            member.remove();
        }
    }

    /** The member is reported with what was attached to it; it is removed then. */
    private static void assertKept(Object attachment, Poller poller, Member member) throws Exception {
        assertEquals(attachment, member.attachment());
        Report report = Awaits.only(poller);
        assertSame(member, report.member());
        assertEquals(POLLIN, report.events());
        assertEquals(attachment, report.attachment());
        member.remove();
    }
}
