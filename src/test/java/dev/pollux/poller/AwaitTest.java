// SPDX-License-Identifier: Apache-2.0
package dev.pollux.poller;

import static dev.pollux.Poller.POLLIN;
import static dev.pollux.Poller.POLLOUT;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pollux.Poller;
import dev.pollux.Poller.Member;
import dev.pollux.lab.Io;
import dev.pollux.lab.Job;
import dev.pollux.lab.Workbench.Connection;
import java.nio.channels.Pipe;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** What the three forms of await report. */
class AwaitTest {

    @EachMechanism
    void everyFormReportsMemberAndEvents(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Member member = poller.add(lab.fedPipe().source(), POLLIN);
        for (Form form : Form.values()) {
            assertEquals(List.of(new Report(member, POLLIN)), form.reports(poller, 0));
        }
    }

    @EachMechanism
    void theArraysHoldDescriptorsAndEvents(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Member member = poller.add(lab.fedPipe().source(), POLLIN);
        int[] descriptors = new int[1];
        short[] events = new short[1];
        assertEquals(1, poller.await(descriptors, events, 0, NANOSECONDS));
        assertEquals(member.descriptor(), descriptors[0]);
        assertEquals(POLLIN, events[0]);
    }

    @EachMechanism
    void everyFormReportsNothingWhenNothingIsReady(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        poller.add(lab.pipe().source(), POLLIN);
        for (Form form : Form.values()) {
            assertEquals(List.of(), form.reports(poller, 0));
            assertEquals(List.of(), form.reports(poller, 1000));
        }
    }

    @EachMechanism
    void everyFormReportsAllThatAreReady(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Set<Member> expected = new HashSet<>();
        for (int i = 0; i < 10; i++) {
            expected.add(poller.add(lab.datagram(), POLLOUT));
            poller.add(lab.datagram(), POLLIN);
        }
        for (Form form : Form.values()) {
            Set<Member> seen = new HashSet<>();
            assertEquals(10, form.await(poller, 0, (member, events) -> seen.add(member)));
            assertEquals(expected, seen);
        }
    }

    @EachMechanism
    void readingAndWritingAreReportedTogether(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Connection connection = lab.tcp();
        Io.send(connection.far());
        Member member = poller.add(connection.near(), POLLIN | POLLOUT);
        for (Form form : Form.values()) {
            assertEquals(List.of(new Report(member, POLLIN | POLLOUT)), form.reports(poller, 0));
        }
    }

    @EachMechanism
    void whatIsNotAskedForIsNotReported(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Connection connection = lab.tcp();
        Io.send(connection.far());
        poller.add(connection.near(), POLLOUT);
        assertEquals(POLLOUT, Awaits.only(poller).events());
    }

    @EachMechanism
    void aMemberThatStaysReadyIsReportedEveryTime(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Pipe pipe = lab.fedPipe();
        poller.add(pipe.source(), POLLIN);
        for (int i = 0; i < 5; i++) {
            assertEquals(1, Awaits.poll(poller));
        }
        Io.drain(pipe.source());
        assertEquals(0, Awaits.poll(poller));
    }

    @EachMechanism
    void anEventEndsAnAwaitOfEveryForm(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Pipe pipe = lab.pipe();
        poller.add(pipe.source(), POLLIN);
        for (Form form : Form.values()) {
            Job<Integer> job = lab.start(() -> form.await(poller, Awaits.FOR_EVER));
            job.awaitSelecting();
            Io.feed(pipe);
            assertEquals(1, job.result());
            Io.drain(pipe.source());
        }
    }
}
