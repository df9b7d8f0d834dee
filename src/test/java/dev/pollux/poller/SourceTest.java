// SPDX-License-Identifier: Apache-2.0
package dev.pollux.poller;

import static dev.pollux.Poller.POLLIN;
import static dev.pollux.Poller.POLLOUT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.Poller;
import dev.pollux.Poller.Member;
import dev.pollux.PolluxSelectorProvider;
import dev.pollux.lab.Descriptors;
import dev.pollux.lab.Io;
import dev.pollux.lab.Job;
import dev.pollux.lab.Workbench.Connection;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Pipe;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.List;

/** Every kind of channel as a source. */
class SourceTest {

    @EachMechanism
    void aConnectionBecomesReadable(PollerLab lab) throws Exception {
        Connection connection = lab.tcp();
        assertBecomesReady(lab, connection.near(), POLLIN, () -> Io.send(connection.far()));
    }

    @EachMechanism
    void aConnectionThatWasFullBecomesWritable(PollerLab lab) throws Exception {
        Connection connection = lab.tcp();
        Io.fill(connection.near());
        connection.far().configureBlocking(false);
        assertBecomesReady(lab, connection.near(), POLLOUT, () -> {
            while (!isWritable(connection.near())) {
                Io.drain(connection.far());
            }
        });
    }

    /** A byte may be taken before the kernel calls the socket writable; the test asks poll(2), where there is one. */
    private static boolean isWritable(SocketChannel channel) throws Exception {
        try (Poller other = Poller.open(Descriptors.WINDOWS ? null : "poll", 1)) {
            other.add(channel, POLLOUT);
            return Awaits.poll(other) == 1;
        }
    }

    @EachMechanism
    void aConnectionIsReadableWhenTheOtherEndCloses(PollerLab lab) throws Exception {
        Connection connection = lab.tcp();
        assertBecomesReady(lab, connection.near(), POLLIN, () -> connection.far().close());
        assertEquals(-1, connection.near().read(ByteBuffer.allocate(1)));
    }

    @EachMechanism
    void anAttemptToConnectBecomesWritable(PollerLab lab) throws Exception {
        ServerSocketChannel listener = lab.listener();
        SocketChannel channel = lab.opened(SocketChannel.open());
        channel.configureBlocking(false);
        channel.connect(listener.getLocalAddress());
        Poller poller = lab.poller();
        Member member = poller.add(channel, POLLOUT);
        assertEquals(new Report(member, POLLOUT), Awaits.only(poller));
        assertTrue(channel.finishConnect());
    }

    @EachMechanism
    void aListenerIsReadableWhenAConnectionWaits(PollerLab lab) throws Exception {
        ServerSocketChannel listener = lab.listener();
        assertBecomesReady(lab, listener, POLLIN, () -> lab.opened(SocketChannel.open(listener.getLocalAddress())));
        lab.opened(listener.accept());
    }

    @EachMechanism
    void aDatagramChannelIsReadableWhenADatagramCame(PollerLab lab) throws Exception {
        DatagramChannel channel = lab.datagram();
        DatagramChannel sender = lab.datagram();
        assertBecomesReady(lab, channel, POLLIN, () -> sender.send(ByteBuffer.allocate(1), channel.getLocalAddress()));
    }

    @EachMechanism
    void theReadingEndOfAPipeIsReadableWhenItWasFed(PollerLab lab) throws Exception {
        Pipe pipe = lab.pipe();
        assertBecomesReady(lab, pipe.source(), POLLIN, () -> Io.feed(pipe));
    }

    @EachMechanism
    void theWritingEndOfAPipeIsWritableWhenItWasDrained(PollerLab lab) throws Exception {
        Pipe pipe = lab.pipe();
        Io.fill(pipe.sink());
        assertBecomesReady(lab, pipe.sink(), POLLOUT, () -> Io.drain(pipe.source()));
    }

    @EachMechanism
    void aUnixDomainConnectionBecomesReadable(PollerLab lab) throws Exception {
        PollerLab.needsUnix();
        Connection connection = lab.unix();
        assertBecomesReady(lab, connection.near(), POLLIN, () -> Io.send(connection.far()));
    }

    @EachMechanism
    void channelsOfOurOwnProviderAreTaken(PollerLab lab) throws Exception {
        Pipe pipe = new PolluxSelectorProvider().openPipe();
        lab.opened(pipe.sink());
        assertBecomesReady(lab, lab.opened(pipe.source()), POLLIN, () -> Io.feed(pipe));
    }

    @EachMechanism
    void aChannelInBlockingModeIsTakenAndStaysSo(PollerLab lab) throws Exception {
        Connection connection = lab.tcp();
        SocketChannel channel = connection.far();
        assertTrue(channel.isBlocking());
        assertBecomesReady(lab, channel, POLLIN, () -> Io.send(connection.near()));
        assertTrue(channel.isBlocking());
        assertEquals(1, channel.read(ByteBuffer.allocate(8)));
    }

    @EachMechanism
    void aChannelInWhichAThreadIsBlockedIsTakenWithoutAWait(PollerLab lab) throws Exception {
        Connection connection = lab.tcp();
        Poller poller = lab.poller();
        Job<Integer> reading = lab.start(() -> connection.far().read(ByteBuffer.allocate(8)));
        Thread.sleep(100);
        Member member = poller.add(connection.far(), POLLOUT);
        assertEquals(new Report(member, POLLOUT), Awaits.only(poller));
        member.remove();
        Awaits.assertGoesOn(reading);
        Io.send(connection.near());
        assertEquals(1, reading.result());
    }

    @EachMechanism
    void aChannelCanBeInSeveralPollersAndInASelector(PollerLab lab) throws Exception {
        Pipe pipe = lab.fedPipe();
        Poller one = lab.poller();
        Poller two = lab.poller();
        Selector selector = lab.opened(lab.provider().openSelector());
        Member member = one.add(pipe.source(), POLLIN);
        two.add(pipe.source(), POLLIN);
        pipe.source().register(selector, SelectionKey.OP_READ);
        assertEquals(1, Awaits.poll(one));
        assertEquals(1, Awaits.poll(two));
        assertEquals(1, selector.selectNow());
        member.remove();
        assertEquals(1, Awaits.poll(two));
    }

    private static void assertBecomesReady(PollerLab lab, SelectableChannel source, int events, Io.Step step)
            throws Exception {
        Poller poller = lab.poller();
        Member member = poller.add(source, events);
        assertEquals(Descriptors.numberOf(source), member.descriptor());
        assertEquals(List.of(), Form.HANDLER.reports(poller, 0));
        step.run();
        Report report = Awaits.only(poller);
        assertEquals(member, report.member());
        assertEquals(events, report.events() & (POLLIN | POLLOUT));
    }
}
