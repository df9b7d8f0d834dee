// SPDX-License-Identifier: Apache-2.0
package dev.pollux.poller;

import static dev.pollux.Poller.EDGE;
import static dev.pollux.Poller.POLLIN;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.pollux.Poller;
import dev.pollux.Poller.Member;
import dev.pollux.lab.Descriptors;
import dev.pollux.lab.ForeignChannel;
import dev.pollux.lab.Injection;
import java.io.FileDescriptor;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectableChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import javax.net.ssl.SSLSocketFactory;

/** What a Poller does not take, and what it says. */
class RefusedSourceTest {

    /** One of the calls of add, by a source's type. */
    private interface Adding {
        void to(Poller poller) throws IOException;
    }

    @EachMechanism
    void anUnconnectedSslSocketIsRefused(PollerLab lab) throws Exception {
        Socket socket = lab.opened(SSLSocketFactory.getDefault().createSocket());
        IllegalArgumentException thrown =
                refused(lab, poller -> poller.add(socket, POLLIN), IllegalArgumentException.class);
        assertTrue(thrown.getMessage().contains("SSL"), thrown.toString());
    }

    @EachMechanism
    void anSslSocketOverAConnectedOneIsRefused(PollerLab lab) throws Exception {
        try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Socket plain = lab.opened(new Socket(InetAddress.getLoopbackAddress(), listener.getLocalPort()));
            SSLSocketFactory factory = (SSLSocketFactory) SSLSocketFactory.getDefault();
            Socket socket = lab.opened(factory.createSocket(plain, "localhost", listener.getLocalPort(), true));
            refused(lab, poller -> poller.add(socket, POLLIN), IllegalArgumentException.class);
        }
    }

    @EachMechanism
    void aChannelThatTheJdkDidNotMakeIsRefused(PollerLab lab) throws Exception {
        ForeignChannel channel = lab.opened(new ForeignChannel(lab.provider()));
        refused(lab, poller -> poller.add(channel, POLLIN), IllegalArgumentException.class);
    }

    @EachMechanism
    void nullIsRefused(PollerLab lab) throws Exception {
        refused(lab, poller -> poller.add((SelectableChannel) null, POLLIN), IllegalArgumentException.class);
        refused(lab, poller -> poller.add((Socket) null, POLLIN), IllegalArgumentException.class);
        refused(lab, poller -> poller.add((ServerSocket) null, POLLIN), IllegalArgumentException.class);
        refused(lab, poller -> poller.add((DatagramSocket) null, POLLIN), IllegalArgumentException.class);
        refused(lab, poller -> poller.add((FileDescriptor) null, POLLIN), IllegalArgumentException.class);
    }

    @EachMechanism
    void aClosedChannelIsRefused(PollerLab lab) throws Exception {
        DatagramChannel channel = lab.datagram();
        channel.close();
        refused(lab, poller -> poller.add(channel, POLLIN), ClosedChannelException.class);
    }

    @EachMechanism
    void aClosedSocketIsRefused(PollerLab lab) throws Exception {
        ServerSocket listener = lab.opened(new ServerSocket(0, 1, InetAddress.getLoopbackAddress()));
        Socket socket = lab.opened(new Socket(InetAddress.getLoopbackAddress(), listener.getLocalPort()));
        socket.close();
        listener.close();
        refused(lab, poller -> poller.add(socket, POLLIN), IOException.class);
        refused(lab, poller -> poller.add(listener, POLLIN), IOException.class);
    }

    @EachMechanism
    void aClosedDatagramSocketIsRefused(PollerLab lab) throws Exception {
        DatagramSocket socket = lab.opened(new DatagramSocket());
        socket.close();
        refused(lab, poller -> poller.add(socket, POLLIN), IOException.class);
    }

    @EachMechanism
    void theSocketOfAClosedChannelIsRefused(PollerLab lab) throws Exception {
        DatagramChannel channel = lab.datagram();
        channel.close();
        refused(lab, poller -> poller.add(channel.socket(), POLLIN), IOException.class);
    }

    @EachMechanism
    void anInvalidFileDescriptorIsRefused(PollerLab lab) throws Exception {
        refused(lab, poller -> poller.add(new FileDescriptor(), POLLIN), IOException.class);
    }

    @EachMechanism
    void aClosedFileDescriptorIsRefused(PollerLab lab) throws Exception {
        FileDescriptor file;
        try (TemporaryFile temporary = new TemporaryFile()) {
            file = temporary.open.getFD();
        }
        refused(lab, poller -> poller.add(file, POLLIN), IOException.class);
    }

    @EachMechanism
    void unknownEventBitsAreRefused(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        DatagramChannel channel = lab.datagram();
        for (int bits : new int[] {1 << 7, 1 << 10, 1 << 15, POLLIN | 1 << 20, Integer.MIN_VALUE, -1}) {
            assertThrows(IllegalArgumentException.class, () -> poller.add(channel, bits));
        }
        assertEquals(0, poller.size());
        Member member = poller.add(channel, POLLIN);
        assertThrows(IllegalArgumentException.class, () -> member.modify(1 << 15));
    }

    @EachMechanism
    void edgesAreRefusedWhereThereAreNone(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        assumeFalse(poller.supports(EDGE), "the mechanism has edges");
        DatagramChannel channel = lab.datagram();
        assertThrows(UnsupportedOperationException.class, () -> poller.add(channel, POLLIN | EDGE));
        assertEquals(0, poller.size());
        Member member = poller.add(channel, POLLIN);
        assertThrows(UnsupportedOperationException.class, () -> member.modify(POLLIN | EDGE));
    }

    @EachMechanism
    void aFileThatCannotBeWatchedIsNamedWithTheCallAndTheError(PollerLab lab) throws Exception {
        PollerLab.needsUnix();
        assumeTrue(lab.isEPoll(), "only epoll refuses a file at once");
        TemporaryFile file = lab.opened(new TemporaryFile());
        int descriptor = Descriptors.numberOf(file.path);
        Poller poller = lab.poller();
        IOException byNumber = assertThrows(IOException.class, () -> poller.add(descriptor, POLLIN));
        assertNames(byNumber, "epoll_ctl", Integer.toString(descriptor), "EPERM");
        IOException byFile = assertThrows(IOException.class, () -> poller.add(file.open.getFD(), POLLIN));
        assertNames(byFile, "epoll_ctl", "FileDescriptor", Integer.toString(descriptor), "EPERM");
        assertEquals(0, poller.size());
    }

    @EachMechanism
    void anAddThatTheKernelRefusesNamesCallSourceDescriptorAndError(PollerLab lab) throws Exception {
        assumeTrue(lab.isEPoll(), "only epoll asks the kernel at once");
        Poller poller = lab.poller();
        DatagramChannel channel = lab.datagram();
        String number = Integer.toString(Descriptors.numberOf(channel));
        try (Injection faults = Injection.failingOnce("epoll_ctl", "ENOSPC")) {
            IOException thrown = assertThrows(IOException.class, () -> poller.add(channel, POLLIN));
            assertNames(thrown, "epoll_ctl", Descriptors.shownName(channel), number, "ENOSPC");
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
        Member member = poller.add(channel, POLLIN, "kept");
        try (Injection faults = Injection.failingOnce("epoll_ctl", "ENOMEM")) {
            IOException thrown = assertThrows(IOException.class, () -> member.modify(Poller.POLLOUT));
            assertNames(thrown, "epoll_ctl", Descriptors.shownName(channel), "ENOMEM");
            assertEquals(1, faults.calls().size());
        }
        assertTrue(poller.isMember(channel));
        assertEquals(POLLIN, member.events());
        assertEquals(0, Awaits.poll(poller));
        member.modify(Poller.POLLOUT);
        assertEquals("kept", Awaits.only(poller).attachment());
    }

    @EachMechanism
    void whatIsReadyIsReportedBesideARefusalWithoutWaiting(PollerLab lab) throws Exception {
        assumeTrue(lab.isKQueue(), "only a kqueue refuses when it is waited for");
        for (Form form : Form.values()) {
            Poller poller = lab.poller();
            Member ready = poller.add(lab.datagram(), Poller.POLLOUT);
            assertEquals(1, Awaits.poll(poller));
            Member refused = poller.add(lab.datagram(), POLLIN);
            try (Injection faults = Injection.failingOnce("epoll_ctl", "ENOSPC")) {
                assertEquals(Set.of(new Report(ready, Poller.POLLOUT), new Report(refused, Poller.POLLNVAL)),
                        Set.copyOf(form.reports(poller, 0)));
                assertTrue(faults.calls().size() > 0, "it was refused");
            }
            assertNames(refused.refusal(), "kevent", "ENOSPC");
        }
    }

    private static <T extends Exception> T refused(PollerLab lab, Adding adding, Class<T> type) throws IOException {
        Poller poller = lab.poller();
        T thrown = assertThrows(type, () -> adding.to(poller));
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
        private final RandomAccessFile open = new RandomAccessFile(path.toFile(), "rw");

        TemporaryFile() throws IOException {
        }

        @Override
        public void close() throws IOException {
            open.close();
            Files.deleteIfExists(path);
        }
    }
}
