// SPDX-License-Identifier: Apache-2.0
package dev.pollux.poller;

import static dev.pollux.Poller.ONESHOT;
import static dev.pollux.Poller.POLLIN;
import static dev.pollux.Poller.POLLOUT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.Poller;
import dev.pollux.lab.Io;
import dev.pollux.lab.Job;
import dev.pollux.lab.Workbench.Connection;
import java.nio.channels.Pipe;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** What the three forms of await report. */
class AwaitTest {

    @EachMechanism
    void everyFormReportsDescriptorAndEvents(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Pipe pipe = lab.fedPipe();
        int descriptor = poller.add(pipe.source(), POLLIN);
        for (Form form : Form.values()) {
            assertEquals(List.of(new Report(descriptor, POLLIN, null)), form.reports(poller, 0));
        }
    }

    @EachMechanism
    void theHandlerAndTheIterableReportTheAttachment(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Object attachment = new Object();
        int descriptor = poller.add(lab.fedPipe().source(), POLLIN, attachment);
        assertEquals(List.of(new Report(descriptor, POLLIN, attachment)), Form.HANDLER.reports(poller, 0));
        assertEquals(List.of(new Report(descriptor, POLLIN, attachment)), Form.ITERABLE.reports(poller, 0));
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
        Set<Integer> expected = new HashSet<>();
        for (int i = 0; i < 10; i++) {
            expected.add(poller.add(lab.datagram(), POLLOUT));
            poller.add(lab.datagram(), POLLIN);
        }
        for (Form form : Form.values()) {
            Set<Integer> seen = new HashSet<>();
            assertEquals(10, form.await(poller, 0, (descriptor, events, attachment) -> seen.add(descriptor)));
            assertEquals(expected, seen);
        }
    }

    @EachMechanism
    void readingAndWritingAreReportedTogether(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Connection connection = lab.tcp();
        Io.send(connection.far());
        int descriptor = poller.add(connection.near(), POLLIN | POLLOUT);
        for (Form form : Form.values()) {
            assertEquals(List.of(new Report(descriptor, POLLIN | POLLOUT, null)), form.reports(poller, 0));
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
    void anEntryThatStaysReadyIsReportedEveryTime(PollerLab lab) throws Exception {
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

    @EachMechanism
    void noMoreAreReportedThanTheArraysHaveRoomFor(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        for (int i = 0; i < 5; i++) {
            poller.add(lab.datagram(), POLLOUT);
        }
        int[] descriptors = new int[8];
        short[] events = new short[3];
        Arrays.fill(descriptors, -7);
        assertEquals(3, poller.await(descriptors, events, 0));
        for (int i = 0; i < 8; i++) {
            assertEquals(i >= 3, descriptors[i] == -7, Arrays.toString(descriptors));
        }
    }

    @EachMechanism
    void whatHadNoRoomInTheArraysIsReportedByTheNextAwaits(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Set<Integer> expected = new HashSet<>();
        for (int i = 0; i < 10; i++) {
            expected.add(poller.add(lab.datagram(), POLLOUT | ONESHOT));
        }
        int[] descriptors = new int[3];
        Set<Integer> seen = new HashSet<>();
        while (seen.size() < 10) {
            int n = poller.await(descriptors, new short[3], Awaits.PATIENCE);
            assertTrue(n > 0, "only " + seen.size() + " of 10 were reported");
            for (int i = 0; i < n; i++) {
                assertTrue(seen.add(descriptors[i]), "a one-shot entry was reported twice");
            }
        }
        assertEquals(expected, seen);
        assertEquals(0, Awaits.poll(poller));
    }

    @EachMechanism
    void everyReadyEntryGetsItsTurnInArraysThatAreTooSmall(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        for (int i = 0; i < 5; i++) {
            poller.add(lab.datagram(), POLLOUT);
        }
        int[] descriptors = new int[1];
        Set<Integer> seen = new HashSet<>();
        for (int i = 0; i < 100; i++) {
            assertEquals(1, poller.await(descriptors, new short[1], 0));
            seen.add(descriptors[0]);
        }
        assertEquals(5, seen.size(), seen + " in 100 awaits");
    }
}
