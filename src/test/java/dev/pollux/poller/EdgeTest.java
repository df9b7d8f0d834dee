// SPDX-License-Identifier: Apache-2.0
package dev.pollux.poller;

import static dev.pollux.Poller.EDGE;
import static dev.pollux.Poller.ONESHOT;
import static dev.pollux.Poller.POLLIN;
import static dev.pollux.Poller.POLLOUT;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.pollux.Poller;
import dev.pollux.Poller.Member;
import dev.pollux.lab.Io;
import dev.pollux.lab.Job;
import dev.pollux.lab.Workbench.Connection;
import java.nio.channels.Pipe;

/** Edge-triggered members, where the mechanism has them. */
class EdgeTest {

    @EachMechanism
    void theMechanismsThatHaveEdgesSaySo(PollerLab lab) throws Exception {
        assertEquals(lab.isEPoll() || lab.isKQueue(), lab.poller().supports(EDGE));
    }

    @EachMechanism
    void aMemberThatStaysReadyIsReportedOnce(PollerLab lab) throws Exception {
        Poller poller = withEdges(lab);
        Member member = poller.add(lab.fedPipe().source(), POLLIN | EDGE);
        assertEquals(new Report(member, POLLIN), Awaits.only(poller));
        Awaits.assertSleeps(poller);
    }

    @EachMechanism
    void everyArrivalOfDataIsReported(PollerLab lab) throws Exception {
        Poller poller = withEdges(lab);
        Pipe pipe = lab.pipe();
        poller.add(pipe.source(), POLLIN | EDGE);
        for (int i = 0; i < 10; i++) {
            Io.feed(pipe);
            assertEquals(POLLIN, Awaits.only(poller).events());
            assertEquals(0, Awaits.poll(poller));
            Io.drain(pipe.source());
            assertEquals(0, Awaits.poll(poller));
        }
    }

    @EachMechanism
    void whatIsReadyWhenItIsAddedIsReported(PollerLab lab) throws Exception {
        Poller poller = withEdges(lab);
        poller.add(lab.datagram(), POLLIN | POLLOUT | EDGE);
        assertEquals(POLLOUT, Awaits.only(poller).events());
        assertEquals(0, Awaits.poll(poller));
    }

    @EachMechanism
    void aModificationReportsWhatIsReadyAgain(PollerLab lab) throws Exception {
        Poller poller = withEdges(lab);
        Member member = poller.add(lab.datagram(), POLLOUT | EDGE);
        assertEquals(1, Awaits.poll(poller));
        member.modify(POLLOUT | EDGE);
        assertEquals(1, Awaits.poll(poller));
        assertEquals(0, Awaits.poll(poller));
    }

    @EachMechanism
    void aModificationMakesALevelOfAnEdgeAndBack(PollerLab lab) throws Exception {
        Poller poller = withEdges(lab);
        Member member = poller.add(lab.datagram(), POLLOUT | EDGE);
        assertEquals(1, Awaits.poll(poller));
        assertEquals(0, Awaits.poll(poller));
        member.modify(POLLOUT);
        assertEquals(1, Awaits.poll(poller));
        assertEquals(1, Awaits.poll(poller));
        member.modify(POLLOUT | EDGE);
        assertEquals(1, Awaits.poll(poller));
        assertEquals(0, Awaits.poll(poller));
    }

    @EachMechanism
    void anEdgeWhileTheMemberWasDisabledIsReportedWhenItIsEnabled(PollerLab lab) throws Exception {
        Poller poller = withEdges(lab);
        Pipe pipe = lab.pipe();
        Member member = poller.add(pipe.source(), POLLIN | EDGE);
        assertEquals(0, Awaits.poll(poller));
        member.disable();
        Io.feed(pipe);
        assertEquals(0, Awaits.poll(poller));
        member.enable();
        assertEquals(POLLIN, Awaits.only(poller).events());
        assertEquals(0, Awaits.poll(poller));
    }

    @EachMechanism
    void anEdgeThatHadNoRoomInTheArraysIsNotLost(PollerLab lab) throws Exception {
        Poller poller = withEdges(lab);
        for (int i = 0; i < 5; i++) {
            poller.add(lab.datagram(), POLLOUT | EDGE);
        }
        int reported = 0;
        for (int i = 0; i < 3; i++) {
            reported += poller.await(new int[2], new short[2], 0, NANOSECONDS);
        }
        assertEquals(5, reported);
    }

    @EachMechanism
    void anEdgeThatAThrowingHandlerLeftIsNotLost(PollerLab lab) throws Exception {
        Poller poller = withEdges(lab);
        for (int i = 0; i < 5; i++) {
            poller.add(lab.datagram(), POLLOUT | EDGE);
        }
        try {
            poller.await((member, events) -> {
                throw new IllegalArgumentException("the handler's own");
            }, 0, NANOSECONDS);
        } catch (IllegalArgumentException e) {
            assertTrue(Awaits.poll(poller) >= 4, "those that the handler did not see");
            assertEquals(0, Awaits.poll(poller));
            return;
        }
        throw new AssertionError("what the handler throws must be thrown");
    }

    @EachMechanism
    void anEdgeThatIsOneShotAsWellIsReportedOnceUntilEnabled(PollerLab lab) throws Exception {
        Poller poller = withEdges(lab);
        Pipe pipe = lab.fedPipe();
        Member member = poller.add(pipe.source(), POLLIN | EDGE | ONESHOT);
        assertEquals(POLLIN, Awaits.only(poller).events());
        Io.feed(pipe);
        assertEquals(0, Awaits.poll(poller));
        member.enable();
        assertEquals(POLLIN, Awaits.only(poller).events());
    }

    @EachMechanism
    void anEdgeEndsAnAwait(PollerLab lab) throws Exception {
        Poller poller = withEdges(lab);
        Connection connection = lab.tcp();
        poller.add(connection.near(), POLLIN | EDGE);
        Job<Integer> job = lab.start(() -> Form.HANDLER.await(poller, Awaits.FOR_EVER));
        job.awaitSelecting();
        Io.send(connection.far());
        assertEquals(1, job.result());
    }

    private static Poller withEdges(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        assumeTrue(poller.supports(EDGE), "the mechanism has no edges");
        return poller;
    }
}
