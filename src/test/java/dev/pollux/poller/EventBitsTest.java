// SPDX-License-Identifier: Apache-2.0
package dev.pollux.poller;

import static dev.pollux.Poller.ONESHOT;
import static dev.pollux.Poller.POLLERR;
import static dev.pollux.Poller.POLLHUP;
import static dev.pollux.Poller.POLLIN;
import static dev.pollux.Poller.POLLOUT;
import static dev.pollux.Poller.POLLPRI;
import static dev.pollux.Poller.POLLRDHUP;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.Poller;
import dev.pollux.Poller.Member;
import dev.pollux.lab.Descriptors;
import dev.pollux.lab.Io;
import dev.pollux.lab.Workbench.Connection;
import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Pipe;

/** The events beside reading and writing. */
class EventBitsTest {

    @EachMechanism
    void theEndOfTheOtherSidesDataIsReportedWhereItIsAskedFor(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Connection connection = lab.tcp();
        Member member = poller.add(connection.near(), POLLIN | POLLRDHUP);
        assertEquals(0, Awaits.poll(poller));
        connection.far().shutdownOutput();
        assertEquals(POLLIN | POLLRDHUP, Awaits.only(poller).events());
        member.modify(POLLIN);
        assertEquals(POLLIN, Awaits.only(poller).events());
    }

    @EachMechanism
    void dataAreNotTheirEnd(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Connection connection = lab.tcp();
        poller.add(connection.near(), POLLIN | POLLRDHUP);
        Io.send(connection.far());
        assertEquals(POLLIN, Awaits.only(poller).events());
    }

    @EachMechanism
    void urgentDataAreReportedWhereTheyAreAskedFor(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Connection connection = lab.tcp();
        poller.add(connection.near(), POLLIN | POLLPRI);
        Io.send(connection.far());
        assertEquals(POLLIN, Awaits.only(poller).events());
        Io.drain(connection.near());
        connection.far().socket().sendUrgentData('!');
        assertTrue((Awaits.only(poller).events() & POLLPRI) != 0);
    }

    @EachMechanism
    void urgentDataThatNobodyAskedForEndNoAwait(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Connection connection = lab.tcp();
        poller.add(connection.near(), POLLIN);
        connection.far().socket().sendUrgentData('!');
        Awaits.assertSleeps(poller);
        Io.send(connection.far());
        assertEquals(POLLIN, Awaits.only(poller).events());
    }

    @EachMechanism
    void urgentDataOfABlockingChannelEndNoAwait(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Connection connection = lab.tcp();
        poller.add(connection.far(), POLLIN);
        connection.near().socket().sendUrgentData('!');
        Awaits.assertSleeps(poller);
        Io.send(connection.near());
        assertEquals(POLLIN, Awaits.only(poller).events());
    }

    @EachMechanism
    void theReaderOfAPipeIsToldThatTheWriterIsGone(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Pipe pipe = lab.pipe();
        poller.add(pipe.source(), POLLIN);
        assertEquals(0, Awaits.poll(poller));
        pipe.sink().close();
        int events = Awaits.only(poller).events();
        assertTrue((events & (POLLIN | POLLHUP)) != 0, "events " + events);
        assertEquals(-1, pipe.source().read(ByteBuffer.allocate(1)));
    }

    @EachMechanism
    void theWriterOfAPipeIsToldThatTheReaderWasGoneBeforeAsLongAsItAsks(PollerLab lab) throws Exception {
        PollerLab.needsUnix();
        Poller poller = lab.poller();
        Pipe pipe = lab.pipe();
        pipe.source().close();
        Member member = poller.add(pipe.sink(), POLLOUT);
        Report broken = new Report(member, POLLOUT | POLLERR);
        for (int i = 0; i < 3; i++) {
            assertEquals(broken, Awaits.only(poller));
        }
        member.modify(POLLOUT | ONESHOT);
        for (int i = 0; i < 3; i++) {
            assertEquals(broken, Awaits.only(poller));
            assertEquals(0, Awaits.poll(poller));
            member.enable();
        }
        member.remove();
        Awaits.assertSleeps(poller);
    }

    @EachMechanism
    void theWriterOfAPipeIsToldThatTheReaderIsGone(PollerLab lab) throws Exception {
        lab.needsEndOfFullPipe();
        Poller poller = lab.poller();
        Pipe pipe = lab.pipe();
        Io.fill(pipe.sink());
        poller.add(pipe.sink(), POLLOUT);
        assertEquals(0, Awaits.poll(poller));
        pipe.source().close();
        int events = Awaits.only(poller).events();
        assertTrue((events & (POLLOUT | POLLERR)) != 0, "events " + events);
    }

    @EachMechanism
    void aResetIsReportedAsAnError(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Connection connection = lab.tcp();
        poller.add(connection.near(), POLLIN);
        connection.far().setOption(StandardSocketOptions.SO_LINGER, 0);
        connection.far().close();
        assertTrue((Awaits.only(poller).events() & (Descriptors.WINDOWS ? POLLHUP : POLLERR)) != 0);
        try {
            connection.near().read(ByteBuffer.allocate(1));
        } catch (IOException e) {
            return;
        }
        throw new AssertionError("a connection that was reset can be read");
    }

    @EachMechanism
    void aDatagramThatNobodyTookIsAnError(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        DatagramChannel channel = lab.datagram();
        DatagramChannel other = lab.datagram();
        channel.connect(other.getLocalAddress());
        other.close();
        poller.add(channel, POLLIN);
        channel.write(ByteBuffer.allocate(1));
        assertTrue((Awaits.only(poller).events() & POLLERR) != 0);
    }

    @EachMechanism
    void aMemberThatAsksForNothingIsNotReportedForData(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Connection connection = lab.tcp();
        Io.send(connection.far());
        Member member = poller.add(connection.near(), 0);
        assertTrue(poller.isMember(connection.near()));
        Awaits.assertSleeps(poller);
        member.modify(POLLIN);
        assertEquals(POLLIN, Awaits.only(poller).events());
        member.modify(0);
        Awaits.assertSleeps(poller);
    }

    @EachMechanism
    void aMemberThatAsksForNothingIsReportedForAHangUp(PollerLab lab) throws Exception {
        lab.needsUnaskedEventsOfPipes();
        Poller poller = lab.poller();
        Pipe pipe = lab.pipe();
        Member member = poller.add(pipe.source(), 0);
        assertEquals(0, Awaits.poll(poller));
        pipe.sink().close();
        assertEquals(new Report(member, POLLHUP), Awaits.only(poller));
    }

    @EachMechanism
    void aMemberThatAsksForNothingIsReportedForAnError(PollerLab lab) throws Exception {
        lab.needsUnaskedEventsOfPipes();
        Poller poller = lab.poller();
        Pipe pipe = lab.pipe();
        poller.add(pipe.sink(), 0);
        assertEquals(0, Awaits.poll(poller));
        pipe.source().close();
        assertEquals(POLLERR, Awaits.only(poller).events());
    }

    @EachMechanism
    void whatIsReportedUnaskedMayBeAskedFor(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Member member = poller.add(lab.datagram(), POLLOUT | POLLERR | POLLHUP | Poller.POLLNVAL);
        assertEquals(new Report(member, POLLOUT), Awaits.only(poller));
    }

    @EachMechanism
    void everyEventTogetherReportsWhatThereIs(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Connection connection = lab.tcp();
        poller.add(connection.near(), POLLIN | POLLOUT | POLLPRI | POLLRDHUP);
        assertEquals(POLLOUT, Awaits.only(poller).events());
    }
}
