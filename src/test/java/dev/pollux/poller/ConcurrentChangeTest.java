// SPDX-License-Identifier: Apache-2.0
package dev.pollux.poller;

import static dev.pollux.Poller.ONESHOT;
import static dev.pollux.Poller.POLLIN;
import static dev.pollux.Poller.POLLOUT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.Poller;
import dev.pollux.Poller.Member;
import dev.pollux.lab.Io;
import dev.pollux.lab.Job;
import dev.pollux.lab.Workbench.Connection;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Pipe;
import java.util.ArrayList;
import java.util.List;

/** Changes by one thread while another is in await: they do not wait for it, and are in force within the same await. */
class ConcurrentChangeTest {

    @EachMechanism
    void aMemberThatIsReadyWhenItIsAddedEndsTheAwait(PollerLab lab) throws Exception {
        for (Form form : Form.values()) {
            Poller poller = lab.poller();
            poller.add(lab.pipe().source(), POLLIN);
            Job<List<Report>> job = awaiting(lab, poller, form);
            Member member = poller.add(lab.datagram(), POLLOUT);
            assertEquals(List.of(new Report(member, POLLOUT)), job.result());
        }
    }

    @EachMechanism
    void aMemberIsAddedToAnEmptyPoller(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Job<List<Report>> job = awaiting(lab, poller, Form.HANDLER);
        Member member = poller.add(lab.datagram(), POLLOUT);
        assertEquals(List.of(new Report(member, POLLOUT)), job.result());
    }

    @EachMechanism
    void aMemberThatGetsReadyAfterItWasAddedEndsTheAwait(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Job<List<Report>> job = awaiting(lab, poller, Form.HANDLER);
        Pipe pipe = lab.pipe();
        Member member = poller.add(pipe.source(), POLLIN);
        Awaits.assertGoesOn(job);
        Io.feed(pipe);
        assertEquals(List.of(new Report(member, POLLIN)), job.result());
    }

    @EachMechanism
    void anEventThatAModificationAsksForEndsTheAwait(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Member member = poller.add(lab.datagram(), POLLIN);
        Job<List<Report>> job = awaiting(lab, poller, Form.HANDLER);
        member.modify(POLLIN | POLLOUT);
        assertEquals(List.of(new Report(member, POLLOUT)), job.result());
    }

    @EachMechanism
    void anEventThatAModificationTookAwayDoesNotEndTheAwait(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Connection connection = lab.tcp();
        Member member = poller.add(connection.near(), POLLIN);
        Job<List<Report>> job = awaiting(lab, poller, Form.HANDLER);
        member.modify(0);
        Io.send(connection.far());
        Awaits.assertGoesOn(job);
        poller.wakeup();
        assertEquals(List.of(), job.result());
    }

    @EachMechanism
    void aRemovedMemberDoesNotEndTheAwait(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Pipe pipe = lab.pipe();
        Member member = poller.add(pipe.source(), POLLIN);
        Job<List<Report>> job = awaiting(lab, poller, Form.HANDLER);
        member.remove();
        Io.feed(pipe);
        Awaits.assertGoesOn(job);
        poller.wakeup();
        assertEquals(List.of(), job.result());
    }

    @EachMechanism
    void aRemovedSourceCanBeClosedAndItsNumberAddedWithinTheAwait(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Job<List<Report>> job = awaiting(lab, poller, Form.HANDLER);
        for (int i = 0; i < 50; i++) {
            DatagramChannel channel = lab.datagram();
            poller.add(channel, POLLIN).remove();
            channel.close();
        }
        Member fresh = poller.add(lab.fedPipe().source(), POLLIN);
        assertEquals(List.of(new Report(fresh, POLLIN)), job.result());
    }

    @EachMechanism
    void aDisabledMemberDoesNotEndTheAwaitAndAnEnabledOneDoes(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Pipe pipe = lab.pipe();
        Member member = poller.add(pipe.source(), POLLIN);
        Job<List<Report>> job = awaiting(lab, poller, Form.HANDLER);
        member.disable();
        Io.feed(pipe);
        Awaits.assertGoesOn(job);
        member.enable();
        assertEquals(List.of(new Report(member, POLLIN)), job.result());
    }

    @EachMechanism
    void aOneShotMemberIsEnabledWithinTheAwait(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Member member = poller.add(lab.datagram(), POLLOUT | ONESHOT);
        assertEquals(1, Awaits.poll(poller));
        Job<List<Report>> job = awaiting(lab, poller, Form.HANDLER);
        member.enable();
        assertEquals(List.of(new Report(member, POLLOUT)), job.result());
    }

    @EachMechanism
    void noChangeWaitsForAThreadInAwait(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        poller.add(lab.pipe().source(), POLLIN);
        List<Job<List<Report>>> jobs = new ArrayList<>();
        for (Form form : Form.values()) {
            jobs.add(awaiting(lab, poller, form));
        }
        DatagramChannel channel = lab.datagram();
        for (int i = 0; i < 200; i++) {
            Member member = poller.add(channel, POLLIN);
            member.modify(0);
            member.disable();
            member.enable();
            member.remove();
        }
        for (Job<List<Report>> job : jobs) {
            assertFalse(job.isDone());
        }
    }

    @EachMechanism
    void anAwaitWithATimeoutKeepsItThroughChanges(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        DatagramChannel channel = lab.datagram();
        long timeout = Awaits.millis(400);
        Job<Long> job = lab.start(() -> Io.nanosOf(() -> assertEquals(0, Form.HANDLER.await(poller, timeout))));
        job.awaitSelecting();
        for (int i = 0; i < 100 && !job.isDone(); i++) {
            Member member = poller.add(channel, POLLIN);
            Thread.sleep(1);
            member.remove();
        }
        assertTrue(job.result() >= timeout, timeout + " ns took " + job.result() + " ns");
    }

    private static Job<List<Report>> awaiting(PollerLab lab, Poller poller, Form form) throws Exception {
        Job<List<Report>> job = lab.start(() -> form.reports(poller, Awaits.FOR_EVER));
        job.awaitSelecting();
        return job;
    }
}
