// SPDX-License-Identifier: Apache-2.0
package dev.pollux.poller;

import static dev.pollux.Poller.POLLIN;
import static dev.pollux.Poller.POLLOUT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.Poller;
import dev.pollux.Poller.Member;
import dev.pollux.lab.Descriptors;
import dev.pollux.lab.Io;
import dev.pollux.lab.Job;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.DatagramChannel;

/** Whether a socket is open is asked without waiting for whoever closes it, and without calling code of others. */
class ClosingSocketTest {

    private static final int LINGER_SECONDS = 40;

    /** A socket whose methods say what is not true. */
    private static final class Misleading extends Socket {
        private volatile boolean misleads;
        private volatile Io.Step whenNamed = () -> { };

        Misleading(ServerSocket listener) throws IOException {
            super(InetAddress.getLoopbackAddress(), listener.getLocalPort());
        }

        @Override
        public boolean isClosed() {
            return misleads || super.isClosed();
        }

        @Override
        public String toString() {
            try {
                whenNamed.run();
            } catch (Exception e) {
                throw new AssertionError(e);
            }
            return super.toString();
        }
    }

    @EachMechanism
    void nobodyWaitsForASocketThatLingers(PollerLab lab) throws Exception {
        PollerLab.needsUnix();
        Poller poller = lab.poller();
        try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Socket socket = lab.opened(new Socket(InetAddress.getLoopbackAddress(), listener.getLocalPort()));
            Socket other = lab.opened(listener.accept());
            Member member = poller.add(socket, POLLIN);
            fill(lab, socket);
            socket.setSoLinger(true, LINGER_SECONDS);
            Job<Object> closing = lab.start(() -> {
                socket.close();
                return null;
            });
            DatagramChannel successor = openWhenFreed(lab, member.descriptor());
            assertSame(member, poller.find(socket));
            Member next = poller.add(successor, POLLOUT);
            assertEquals(new Report(next, POLLOUT), Awaits.only(poller));
            assertFalse(member.isValid());
            assertFalse(closing.isDone(), "the socket should linger longer");
            other.close(); // with unread data: a reset, which ends the lingering
            closing.result();
        }
    }

    /** Its toString may need a lock that a thread holds which waits for ours. */
    @EachMechanism
    void aSubclassOfSocketIsNotAskedForItsNameWithALockHeld(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                Misleading socket = new Misleading(listener)) {
            Member member = poller.add(socket, POLLOUT);
            socket.whenNamed = () -> assertEquals(1, lab.start(poller::size).result());
            IllegalStateException thrown =
                    assertThrows(IllegalStateException.class, () -> poller.add(socket, POLLOUT));
            assertTrue(thrown.getMessage().contains("descriptor " + member.descriptor()), thrown.getMessage());
        }
    }

    @EachMechanism
    void aSubclassOfSocketIsNotAskedWhetherItIsClosed(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                Misleading socket = new Misleading(listener)) {
            Member member = poller.add(socket, POLLOUT);
            socket.misleads = true;
            assertEquals(new Report(member, POLLOUT), Awaits.only(poller));
            assertSame(member, poller.find(socket));
            member.modify(POLLIN);
            member.remove();
            socket.misleads = false; // else it would not be closed
        }
    }

    @EachMechanism
    void aSocketOfAnotherImplementationIsKnownByItsFileDescriptor(PollerLab lab) throws Exception {
        PollerLab.needsUnix();
        Poller poller = lab.poller();
        Fifo fifo = lab.opened(new Fifo());
        try (Socket socket = new Socket(new ForeignSocketImpl(fifo.file().getFD())) { }) {
            Member member = poller.add(socket, POLLOUT);
            assertEquals(fifo.number(), member.descriptor());
            assertSame(member, poller.find(socket));
            assertEquals(new Report(member, POLLOUT), Awaits.only(poller));
            fifo.file().close();
            assertThrows(IOException.class, () -> member.modify(POLLIN));
        }
    }

    /** Writes as much as the socket takes at once. */
    private static void fill(PollerLab lab, Socket socket) throws IOException {
        Poller poller = lab.poller();
        poller.add(socket, POLLOUT);
        while (Awaits.poll(poller) == 1) {
            socket.getOutputStream().write(new byte[1000]);
        }
        poller.close();
    }

    /** Opens channels until one has the number, which a thread is about to free. */
    private static DatagramChannel openWhenFreed(PollerLab lab, int number) throws Exception {
        for (int i = 0; i < 1000; i++) {
            DatagramChannel channel = lab.datagram();
            if (Descriptors.numberOf(channel) == number) {
                return channel;
            }
            Thread.sleep(1);
        }
        throw new AssertionError("descriptor " + number + " is not freed");
    }
}
