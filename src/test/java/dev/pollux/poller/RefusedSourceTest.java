// SPDX-License-Identifier: Apache-2.0
package dev.pollux.poller;

import static dev.pollux.Poller.EDGE;
import static dev.pollux.Poller.POLLIN;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.pollux.Poller;
import dev.pollux.lab.Descriptors;
import dev.pollux.lab.ForeignChannel;
import dev.pollux.lab.Injection;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.DatagramChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.net.ssl.SSLSocketFactory;

/** What a Poller does not take, and what it says. */
class RefusedSourceTest {

    @EachMechanism
    void anUnconnectedSslSocketIsRefused(PollerLab lab) throws Exception {
        Socket socket = lab.opened(SSLSocketFactory.getDefault().createSocket());
        assertTrue(refused(lab, socket, IllegalArgumentException.class).getMessage().contains("SSL"));
    }

    @EachMechanism
    void anSslSocketOverAConnectedOneIsRefused(PollerLab lab) throws Exception {
        try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Socket plain = lab.opened(new Socket(InetAddress.getLoopbackAddress(), listener.getLocalPort()));
            SSLSocketFactory factory = (SSLSocketFactory) SSLSocketFactory.getDefault();
            Socket socket = lab.opened(factory.createSocket(plain, "localhost", listener.getLocalPort(), true));
            refused(lab, socket, IllegalArgumentException.class);
        }
    }

    @EachMechanism
    void aChannelThatTheJdkDidNotMakeIsRefused(PollerLab lab) throws Exception {
        refused(lab, lab.opened(new ForeignChannel(lab.provider())), IllegalArgumentException.class);
    }

    @EachMechanism
    void nullIsRefused(PollerLab lab) throws Exception {
        refused(lab, null, IllegalArgumentException.class);
    }

    @EachMechanism
    void anObjectOfAnotherTypeIsRefusedAndNamed(PollerLab lab) throws Exception {
        assertTrue(refused(lab, "no socket", IllegalArgumentException.class).getMessage().contains("no socket"));
        refused(lab, 5L, IllegalArgumentException.class);
    }

    @EachMechanism
    void everyCallRefusesAnObjectOfAnotherType(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        assertThrows(IllegalArgumentException.class, () -> poller.modify("socket", POLLIN));
        assertThrows(IllegalArgumentException.class, () -> poller.remove("socket"));
        assertThrows(IllegalArgumentException.class, () -> poller.enable("socket"));
        assertThrows(IllegalArgumentException.class, () -> poller.disable("socket"));
    }

    @EachMechanism
    void aClosedChannelIsRefused(PollerLab lab) throws Exception {
        DatagramChannel channel = lab.datagram();
        channel.close();
        refused(lab, channel, ClosedChannelException.class);
    }

    @EachMechanism
    void aClosedSocketIsRefused(PollerLab lab) throws Exception {
        ServerSocket listener = lab.opened(new ServerSocket(0, 1, InetAddress.getLoopbackAddress()));
        Socket socket = lab.opened(new Socket(InetAddress.getLoopbackAddress(), listener.getLocalPort()));
        socket.close();
        listener.close();
        refused(lab, socket, IOException.class);
        refused(lab, listener, IOException.class);
    }

    @EachMechanism
    void aClosedDatagramSocketIsRefused(PollerLab lab) throws Exception {
        DatagramSocket socket = lab.opened(new DatagramSocket());
        socket.close();
        refused(lab, socket, IOException.class);
    }

    @EachMechanism
    void theSocketOfAClosedChannelIsRefused(PollerLab lab) throws Exception {
        DatagramChannel channel = lab.datagram();
        channel.close();
        refused(lab, channel.socket(), IOException.class);
    }

    @EachMechanism
    void aSocketThatWasNeverConnectedIsRefused(PollerLab lab) throws Exception {
        refused(lab, lab.opened(new Socket()), IOException.class);
        refused(lab, lab.opened(new ServerSocket()), IOException.class);
    }

    @EachMechanism
    void unknownEventBitsAreRefused(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        DatagramChannel channel = lab.datagram();
        for (int bits : new int[] {1 << 7, 1 << 10, 1 << 15, POLLIN | 1 << 20, Integer.MIN_VALUE, -1}) {
            assertThrows(IllegalArgumentException.class, () -> poller.add(channel, bits));
        }
        assertEquals(0, poller.size());
        poller.add(channel, POLLIN);
        assertThrows(IllegalArgumentException.class, () -> poller.modify(channel, 1 << 15));
    }

    @EachMechanism
    void edgesAreRefusedWhereThereAreNone(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        assumeFalse(poller.supports(EDGE), "the mechanism has edges");
        DatagramChannel channel = lab.datagram();
        assertThrows(UnsupportedOperationException.class, () -> poller.add(channel, POLLIN | EDGE));
        assertEquals(0, poller.size());
        poller.add(channel, POLLIN);
        assertThrows(UnsupportedOperationException.class, () -> poller.modify(channel, POLLIN | EDGE));
    }

    @EachMechanism
    void aFileThatCannotBeWatchedIsNamedWithTheCallAndTheError(PollerLab lab) throws Exception {
        PollerLab.needsUnix();
        assumeTrue(lab.isEPoll(), "only epoll refuses a file at once");
        Path file = lab.opened(new TemporaryFile()).path;
        RandomAccessFile open = lab.opened(new RandomAccessFile(file.toFile(), "rw"));
        int descriptor = Descriptors.numberOf(file);
        Poller poller = lab.poller();
        IOException thrown = assertThrows(IOException.class, () -> poller.add(descriptor, POLLIN));
        assertTrue(open.getFD().valid());
        assertNames(thrown, "epoll_ctl", Integer.toString(descriptor), "EPERM");
        assertEquals(0, poller.size());
    }

    @EachMechanism
    void anAddThatTheKernelRefusesNamesCallSourceDescriptorAndError(PollerLab lab) throws Exception {
        assumeTrue(lab.isEPoll(), "only epoll asks the kernel at once");
        Poller poller = lab.poller();
        DatagramChannel channel = lab.datagram();
        try (Injection faults = Injection.failingOnce("epoll_ctl", "ENOSPC")) {
            IOException thrown = assertThrows(IOException.class, () -> poller.add(channel, POLLIN));
            assertNames(thrown, "epoll_ctl", channel.toString(), Integer.toString(Descriptors.numberOf(channel)), "ENOSPC");
            assertEquals(1, faults.calls().size());
        }
        assertEquals(0, poller.size());
        poller.add(channel, Poller.POLLOUT);
        assertEquals(1, Awaits.poll(poller));
    }

    @EachMechanism
    void aModificationThatTheKernelRefusesLeavesAMember(PollerLab lab) throws Exception {
        assumeTrue(lab.isEPoll(), "only epoll asks the kernel at once");
        Poller poller = lab.poller();
        DatagramChannel channel = lab.datagram();
        poller.add(channel, POLLIN, "kept");
        try (Injection faults = Injection.failingOnce("epoll_ctl", "ENOMEM")) {
            IOException thrown = assertThrows(IOException.class, () -> poller.modify(channel, Poller.POLLOUT));
            assertNames(thrown, "epoll_ctl", channel.toString(), "ENOMEM");
            assertEquals(1, faults.calls().size());
        }
        assertTrue(poller.isMember(channel));
        poller.modify(channel, Poller.POLLOUT);
        assertEquals("kept", Awaits.only(poller).attachment());
    }

    @EachMechanism
    void aNumberThatIsNoDescriptorIsRefusedOrReported(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        List<Report> reports = List.of();
        try {
            poller.add(1_000_003, POLLIN);
            reports = Awaits.reports(poller);
        } catch (IOException e) {
            assertTrue(e.getMessage().contains("1000003"), e.toString());
            return;
        }
        assertEquals(List.of(new Report(1_000_003, Poller.POLLNVAL, null)), reports);
    }

    @EachMechanism
    void aNegativeNumberIsRefused(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        for (int number : new int[] {-1, -2, Integer.MIN_VALUE}) {
            try {
                poller.add(number, POLLIN);
            } catch (IOException | IllegalArgumentException e) {
                assertNull(e.getCause());
                continue;
            }
            throw new AssertionError("descriptor " + number + " was taken");
        }
        assertEquals(0, poller.size());
    }

    private static <T extends Exception> T refused(PollerLab lab, Object source, Class<T> type) throws IOException {
        Poller poller = lab.poller();
        T thrown = assertThrows(type, () -> poller.add(source, POLLIN));
        assertEquals(0, poller.size());
        assertEquals(0, Awaits.poll(poller));
        return thrown;
    }

    private static void assertNames(IOException thrown, String... parts) {
        for (String part : parts) {
            assertTrue(thrown.getMessage().contains(part), "should say " + part + ": " + thrown);
        }
    }

    private static final class TemporaryFile implements AutoCloseable {

        private final Path path = Files.createTempFile("pollux", ".file");

        TemporaryFile() throws IOException {
        }

        @Override
        public void close() throws IOException {
            Files.deleteIfExists(path);
        }
    }
}
