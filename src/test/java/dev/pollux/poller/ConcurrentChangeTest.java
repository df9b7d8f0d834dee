// SPDX-License-Identifier: Apache-2.0
package dev.pollux.poller;

import static dev.pollux.Poller.ONESHOT;
import static dev.pollux.Poller.POLLIN;
import static dev.pollux.Poller.POLLOUT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.Poller;
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
    void anEntryThatIsReadyWhenItIsAddedEndsTheAwait(PollerLab lab) throws Exception {
        for (Form form : Form.values()) {
            Poller poller = lab.poller();
            poller.add(lab.pipe().source(), POLLIN);
            Job<List<Report>> job = awaiting(lab, poller, form);
            int descriptor = poller.add(lab.datagram(), POLLOUT);
            assertEquals(List.of(new Report(descriptor, POLLOUT, null)), job.result());
        }
    }

    @EachMechanism
    void anEntryIsAddedToAnEmptyPoller(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Job<List<Report>> job = awaiting(lab, poller, Form.HANDLER);
        int descriptor = poller.add(lab.datagram(), POLLOUT, "attachment");
        assertEquals(List.of(new Report(descriptor, POLLOUT, "attachment")), job.result());
    }

    @EachMechanism
    void anEntryThatGetsReadyAfterItWasAddedEndsTheAwait(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Job<List<Report>> job = awaiting(lab, poller, Form.HANDLER);
        Pipe pipe = lab.pipe();
        int descriptor = poller.add(pipe.source(), POLLIN);
        Awaits.assertGoesOn(job);
        Io.feed(pipe);
        assertEquals(List.of(new Report(descriptor, POLLIN, null)), job.result());
    }

    @EachMechanism
    void anEventThatAModificationAsksForEndsTheAwait(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        DatagramChannel channel = lab.datagram();
        int descriptor = poller.add(channel, POLLIN);
        Job<List<Report>> job = awaiting(lab, poller, Form.HANDLER);
        poller.modify(channel, POLLIN | POLLOUT);
        assertEquals(List.of(new Report(descriptor, POLLOUT, null)), job.result());
    }

    @EachMechanism
    void anEventThatAModificationTookAwayDoesNotEndTheAwait(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Connection connection = lab.tcp();
        poller.add(connection.near(), POLLIN);
        Job<List<Report>> job = awaiting(lab, poller, Form.HANDLER);
        poller.modify(connection.near(), 0);
        Io.send(connection.far());
        Awaits.assertGoesOn(job);
        poller.wakeup();
        assertEquals(List.of(), job.result());
    }

    @EachMechanism
    void aRemovedEntryDoesNotEndTheAwait(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Pipe pipe = lab.pipe();
        poller.add(pipe.source(), POLLIN);
        Job<List<Report>> job = awaiting(lab, poller, Form.HANDLER);
        poller.remove(pipe.source());
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
            poller.add(channel, POLLIN, "old");
            poller.remove(channel);
            channel.close();
        }
        Pipe pipe = lab.fedPipe();
        int descriptor = poller.add(pipe.source(), POLLIN, "new");
        assertEquals(List.of(new Report(descriptor, POLLIN, "new")), job.result());
    }

    @EachMechanism
    void aDisabledEntryDoesNotEndTheAwaitAndAnEnabledOneDoes(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Pipe pipe = lab.pipe();
        int descriptor = poller.add(pipe.source(), POLLIN);
        Job<List<Report>> job = awaiting(lab, poller, Form.HANDLER);
        poller.disable(pipe.source());
        Io.feed(pipe);
        Awaits.assertGoesOn(job);
        poller.enable(pipe.source());
        assertEquals(List.of(new Report(descriptor, POLLIN, null)), job.result());
    }

    @EachMechanism
    void aOneShotEntryIsEnabledWithinTheAwait(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        DatagramChannel channel = lab.datagram();
        int descriptor = poller.add(channel, POLLOUT | ONESHOT);
        assertEquals(1, Awaits.poll(poller));
        Job<List<Report>> job = awaiting(lab, poller, Form.HANDLER);
        poller.enable(channel);
        assertEquals(List.of(new Report(descriptor, POLLOUT, null)), job.result());
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
            poller.add(channel, POLLIN);
            poller.modify(channel, 0);
            poller.disable(channel);
            poller.enable(channel);
            poller.remove(channel);
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
            poller.add(channel, POLLIN);
            Thread.sleep(1);
            poller.remove(channel);
        }
        assertTrue(job.result() >= timeout, timeout + " ns took " + job.result() + " ns");
    }

    private static Job<List<Report>> awaiting(PollerLab lab, Poller poller, Form form) throws Exception {
        Job<List<Report>> job = lab.start(() -> form.reports(poller, Awaits.FOR_EVER));
        job.awaitSelecting();
        return job;
    }
}
