// SPDX-License-Identifier: Apache-2.0
package dev.pollux.poller;

import static dev.pollux.Poller.POLLHUP;
import static dev.pollux.Poller.POLLIN;
import static dev.pollux.Poller.POLLOUT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.pollux.Poller;
import dev.pollux.Poller.Member;
import dev.pollux.lab.Workbench;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectableChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.List;

/** Channels and sockets that are not yet connected, or not yet bound. */
class UnconnectedTest {

    private static final int[] ASKED = {0, POLLIN, POLLOUT, POLLIN | POLLOUT};

    @EachMechanism
    void aStreamSocketThatIsNeitherConnectedNorListeningHasHungUpOnLinux(PollerLab lab) throws Exception {
        assumeTrue(System.getProperty("os.name").equals("Linux") && !lab.isKQueue(), "other systems differ");
        for (SelectableChannel channel : List.of(lab.opened(lab.provider().openSocketChannel()),
                lab.opened(lab.provider().openServerSocketChannel()))) {
            Poller poller = lab.poller();
            for (int asked : ASKED) {
                Member member = poller.add(channel, asked);
                assertEquals(new Report(member, POLLHUP | asked & POLLOUT), Awaits.only(poller));
                member.remove();
            }
        }
    }

    @EachMechanism
    void aStreamSocketThatIsBoundOnlyHasHungUpOnLinux(PollerLab lab) throws Exception {
        assumeTrue(System.getProperty("os.name").equals("Linux") && !lab.isKQueue(), "other systems differ");
        SocketChannel channel = lab.opened(lab.provider().openSocketChannel());
        channel.bind(Workbench.loopback(0));
        Poller poller = lab.poller();
        poller.add(channel, POLLIN);
        assertEquals(POLLHUP, Awaits.only(poller).events());
    }

    @EachMechanism
    void aDatagramChannelThatIsNotBoundIsWritable(PollerLab lab) throws Exception {
        DatagramChannel channel = lab.opened(lab.provider().openDatagramChannel());
        Poller poller = lab.poller();
        for (int asked : ASKED) {
            Member member = poller.add(channel, asked);
            assertEquals((asked & POLLOUT) == 0 ? List.of() : List.of(new Report(member, POLLOUT)),
                    Form.HANDLER.reports(poller, 0));
            member.remove();
        }
    }

    @EachMechanism
    void aDatagramSocketThatIsNotBoundIsWritable(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Member member = poller.add(lab.opened(new DatagramSocket(null)), POLLIN | POLLOUT);
        assertEquals(new Report(member, POLLOUT), Awaits.only(poller));
    }

    @EachMechanism
    void aChannelThatWasAddedBeforeItConnectsReportsItsConnection(PollerLab lab) throws Exception {
        ServerSocketChannel listener = lab.listener();
        SocketChannel channel = lab.opened(lab.provider().openSocketChannel());
        Poller poller = lab.poller();
        Member member = poller.add(channel, POLLOUT);
        member.disable();
        channel.configureBlocking(false);
        channel.connect(listener.getLocalAddress());
        member.enable();
        assertEquals(new Report(member, POLLOUT), Awaits.only(poller));
        assertTrue(channel.finishConnect());
    }

    @EachMechanism
    void aChannelThatWasAddedBeforeItIsBoundReportsItsConnections(PollerLab lab) throws Exception {
        ServerSocketChannel server = lab.opened(lab.provider().openServerSocketChannel());
        Poller poller = lab.poller();
        Member member = poller.add(server, POLLIN);
        Awaits.poll(poller);
        server.bind(Workbench.loopback(0));
        assertEquals(0, Awaits.poll(poller));
        lab.opened(SocketChannel.open(server.getLocalAddress()));
        assertEquals(new Report(member, POLLIN), Awaits.only(poller));
        lab.opened(server.accept());
    }

    @EachMechanism
    void aSocketThatHasNoDescriptorYetIsRefused(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Socket socket = lab.opened(new Socket());
        ServerSocket server = lab.opened(new ServerSocket());
        assertThrows(SocketException.class, () -> poller.add(socket, POLLOUT));
        assertThrows(SocketException.class, () -> poller.add(server, POLLIN));
        assertEquals(0, poller.size());
        socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        poller.add(socket, POLLOUT);
        poller.add(server, POLLIN);
        assertEquals(2, poller.size());
    }

    @EachMechanism
    void aSocketThatPassesOnToAnotherOneIsRefusedWithThatReason(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Socket connected = lab.opened(new Socket());
        connected.connect(lab.listener().getLocalAddress());
        Socket shell = lab.opened(new Socket() {
            @Override
            public boolean isConnected() {
                return connected.isConnected();
            }
        });
        Exception refused = assertThrows(SocketException.class, () -> poller.add(shell, POLLOUT));
        assertTrue(refused.getMessage().startsWith("passes on to another socket"), refused.toString());
        Member member = poller.add(connected, POLLOUT);
        assertEquals(new Report(member, POLLOUT), Awaits.only(poller));
    }
}
