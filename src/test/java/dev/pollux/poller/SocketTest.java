// SPDX-License-Identifier: Apache-2.0
package dev.pollux.poller;

import static dev.pollux.Poller.POLLIN;
import static dev.pollux.Poller.POLLOUT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.Poller;
import dev.pollux.Poller.Member;
import dev.pollux.lab.Descriptors;
import dev.pollux.lab.Io;
import dev.pollux.lab.Job;
import dev.pollux.lab.Workbench.Connection;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.MulticastSocket;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.ServerSocketChannel;

/** The sockets of java.net as sources, which no selector takes. */
class SocketTest {

    /** Two connected sockets that know nothing of channels. */
    private record Sockets(Socket connected, Socket accepted) {

        static Sockets of(PollerLab lab) throws Exception {
            try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                Socket connected = lab.opened(new Socket(InetAddress.getLoopbackAddress(), listener.getLocalPort()));
                return new Sockets(connected, lab.opened(listener.accept()));
            }
        }
    }

    /** One of the calls of add, by a source's type. */
    private interface Adding {
        Member to(Poller poller) throws IOException;
    }

    @EachMechanism
    void aConnectedSocketBecomesReadable(PollerLab lab) throws Exception {
        Sockets sockets = Sockets.of(lab);
        assertBecomesReadable(lab, poller -> poller.add(sockets.connected(), POLLIN), sockets.connected(),
                () -> sockets.accepted().getOutputStream().write('x'));
        assertEquals('x', sockets.connected().getInputStream().read());
    }

    @EachMechanism
    void anAcceptedSocketBecomesReadable(PollerLab lab) throws Exception {
        Sockets sockets = Sockets.of(lab);
        assertBecomesReadable(lab, poller -> poller.add(sockets.accepted(), POLLIN), sockets.accepted(),
                () -> sockets.connected().getOutputStream().write('x'));
        assertEquals('x', sockets.accepted().getInputStream().read());
    }

    @EachMechanism
    void aSocketIsWritable(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Member member = poller.add(Sockets.of(lab).connected(), POLLIN | POLLOUT);
        assertEquals(new Report(member, POLLOUT), Awaits.only(poller));
    }

    @EachMechanism
    void aServerSocketIsReadableWhenAConnectionWaits(PollerLab lab) throws Exception {
        ServerSocket listener = lab.opened(new ServerSocket(0, 1, InetAddress.getLoopbackAddress()));
        assertBecomesReadable(lab, poller -> poller.add(listener, POLLIN), listener,
                () -> lab.opened(new Socket(InetAddress.getLoopbackAddress(), listener.getLocalPort())));
        lab.opened(listener.accept());
    }

    @EachMechanism
    void aDatagramSocketIsReadableWhenADatagramCame(PollerLab lab) throws Exception {
        DatagramSocket socket = lab.opened(new DatagramSocket(0, InetAddress.getLoopbackAddress()));
        assertBecomesReadable(lab, poller -> poller.add(socket, POLLIN), socket, () -> sendTo(lab, socket));
        socket.receive(new DatagramPacket(new byte[8], 8));
    }

    @EachMechanism
    void aMulticastSocketIsADatagramSocket(PollerLab lab) throws Exception {
        MulticastSocket socket = lab.opened(new MulticastSocket(0));
        assertBecomesReadable(lab, poller -> poller.add(socket, POLLIN), socket, () -> {
            DatagramSocket sender = lab.opened(new DatagramSocket());
            sender.send(new DatagramPacket(new byte[1], 1, InetAddress.getLoopbackAddress(), socket.getLocalPort()));
        });
    }

    @EachMechanism
    void theSocketOfAChannelStandsForIt(PollerLab lab) throws Exception {
        Connection connection = lab.tcp();
        Socket socket = connection.near().socket();
        assertBecomesReadable(lab, poller -> poller.add(socket, POLLIN), socket, () -> Io.send(connection.far()));
        Poller poller = lab.poller();
        assertEquals(Descriptors.numberOf(connection.near()), poller.add(socket, POLLIN).descriptor());
        assertTrue(poller.isMember(connection.near()));
    }

    @EachMechanism
    void theSocketOfAListeningChannelStandsForIt(PollerLab lab) throws Exception {
        ServerSocketChannel listener = lab.listener();
        assertBecomesReadable(lab, poller -> poller.add(listener.socket(), POLLIN), listener.socket(),
                () -> lab.opened(new Socket(InetAddress.getLoopbackAddress(), listener.socket().getLocalPort())));
    }

    @EachMechanism
    void theSocketOfADatagramChannelStandsForIt(PollerLab lab) throws Exception {
        DatagramSocket socket = lab.datagram().socket();
        assertBecomesReadable(lab, poller -> poller.add(socket, POLLIN), socket, () -> sendTo(lab, socket));
    }

    @EachMechanism
    void aSocketInWhichAThreadIsBlockedIsTakenWithoutAWait(PollerLab lab) throws Exception {
        Sockets sockets = Sockets.of(lab);
        Job<Integer> reading = lab.start(() -> sockets.connected().getInputStream().read());
        Thread.sleep(100);
        Poller poller = lab.poller();
        poller.add(sockets.connected(), POLLOUT);
        assertEquals(POLLOUT, Awaits.only(poller).events());
        Awaits.assertGoesOn(reading);
        sockets.accepted().getOutputStream().write('x');
        assertEquals('x', reading.result());
    }

    @EachMechanism
    void aSocketIsModifiedDisabledEnabledAndRemoved(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Member member = poller.add(Sockets.of(lab).connected(), POLLIN);
        member.modify(POLLOUT);
        assertEquals(1, Awaits.poll(poller));
        member.disable();
        assertEquals(0, Awaits.poll(poller));
        member.enable();
        assertEquals(1, Awaits.poll(poller));
        member.remove();
        assertEquals(0, poller.size());
    }

    private static void sendTo(PollerLab lab, DatagramSocket socket) throws Exception {
        DatagramSocket sender = lab.opened(new DatagramSocket(0, InetAddress.getLoopbackAddress()));
        sender.send(new DatagramPacket(new byte[1], 1, socket.getLocalSocketAddress()));
    }

    private static void assertBecomesReadable(PollerLab lab, Adding adding, Object source, Io.Step step)
            throws Exception {
        Poller poller = lab.poller();
        Member member = adding.to(poller);
        assertTrue(poller.isMember(source));
        assertTrue(poller.isMember(member.descriptor()));
        assertEquals(0, Awaits.poll(poller));
        step.run();
        assertEquals(new Report(member, POLLIN), Awaits.only(poller));
    }
}
