// SPDX-License-Identifier: Apache-2.0
package dev.pollux.poller;

import static dev.pollux.Poller.ONESHOT;
import static dev.pollux.Poller.POLLIN;
import static dev.pollux.Poller.POLLOUT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.ClosedPollerException;
import dev.pollux.Poller;
import dev.pollux.lab.Job;
import java.io.IOException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Pipe;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicReference;

/** What a handler may do to the Poller that calls it, and what becomes of the other entries. */
class HandlerTest {

    /** What the handler of the first entry does to the others. */
    private interface Step {
        void to(DatagramChannel other) throws IOException;
    }

    @EachMechanism
    void anEntryThatAnEarlierHandlerRemovedIsNotReported(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        assertOthersAreNotReported(lab, poller, poller::remove);
        assertEquals(1, poller.size());
    }

    @EachMechanism
    void anEntryThatAnEarlierHandlerRemovedAndClosedIsNotReported(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        assertOthersAreNotReported(lab, poller, other -> {
            poller.remove(other);
            other.close();
        });
    }

    @EachMechanism
    void anEntryThatAnEarlierHandlerDisabledIsNotReported(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        assertOthersAreNotReported(lab, poller, poller::disable);
        assertEquals(3, poller.size());
    }

    @EachMechanism
    void aOneShotEntryThatAnEarlierHandlerDisabledIsNotReportedAndStaysDisabled(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        List<DatagramChannel> channels = writable(lab, poller, 3, POLLOUT | ONESHOT);
        assertThrows(IOException.class, () -> poller.await((descriptor, events, attachment) -> {
            for (DatagramChannel channel : channels) {
                poller.disable(channel);
            }
            throw new IOException("the handler's own");
        }, Awaits.PATIENCE));
        assertEquals(0, Awaits.poll(poller));
        for (DatagramChannel channel : channels) {
            poller.enable(channel);
        }
        assertEquals(3, Awaits.poll(poller));
    }

    @EachMechanism
    void anEntryThatAnEarlierHandlerModifiedIsNotReportedForWhatItWas(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        assertOthersAreNotReported(lab, poller, other -> poller.modify(other, POLLIN));
    }

    @EachMechanism
    void anEntryThatAnEarlierHandlerReplacedIsReportedAsTheNewOne(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        List<DatagramChannel> channels = writable(lab, poller, 3, POLLOUT);
        List<Report> reports = new ArrayList<>();
        poller.await((descriptor, events, attachment) -> {
            reports.add(new Report(descriptor, events, attachment));
            for (DatagramChannel other : channels) {
                if (reports.size() == 1 && other != attachment) {
                    poller.remove(other);
                    poller.add(other, POLLOUT | ONESHOT, "new");
                }
            }
        }, Awaits.PATIENCE);
        Object first = reports.get(0).attachment();
        reports.addAll(Awaits.reports(poller));
        assertEquals(2, reports.stream().filter(report -> "new".equals(report.attachment())).count());
        assertTrue(reports.stream().allMatch(report -> report.attachment() == first || "new".equals(report.attachment())));
    }

    @EachMechanism
    void aHandlerRemovesItsOwnEntry(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        writable(lab, poller, 3, POLLOUT);
        assertEquals(3, poller.await((descriptor, events, attachment) -> poller.remove(descriptor), Awaits.PATIENCE));
        assertEquals(0, poller.size());
        assertEquals(0, Awaits.poll(poller));
    }

    @EachMechanism
    void anEntryThatAHandlerAddsIsReportedByTheNextAwait(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Pipe pipe = lab.fedPipe();
        writable(lab, poller, 1, POLLOUT | ONESHOT);
        Poller.Handler handler = (descriptor, events, attachment) -> poller.add(pipe.source(), POLLIN, "new");
        assertEquals(1, poller.await(handler, Awaits.PATIENCE));
        assertEquals("new", Awaits.only(poller).attachment());
    }

    @EachMechanism
    void whatAHandlerThrowsIsThrown(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        writable(lab, poller, 1, POLLOUT);
        for (Throwable own : List.of(new IOException("own"), new IllegalArgumentException("own"), new AssertionError("own"))) {
            assertSame(own, assertThrows(own.getClass(), () -> poller.await((descriptor, events, attachment) -> raise(own), 0)));
        }
        assertEquals(1, Awaits.poll(poller));
    }

    @EachMechanism
    void whatAHandlerThatThrowsDidNotSeeIsReportedByTheNextAwaits(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        writable(lab, poller, 10, POLLOUT | ONESHOT);
        List<Integer> seen = new ArrayList<>();
        assertThrows(IOException.class, () -> poller.await((descriptor, events, attachment) -> {
            seen.add(descriptor);
            if (seen.size() == 4) {
                throw new IOException("the handler's own");
            }
        }, Awaits.PATIENCE));
        while (seen.size() < 10) {
            assertTrue(poller.await((descriptor, events, attachment) -> seen.add(descriptor), 0) > 0, "lost: all but " + seen);
        }
        assertEquals(10, new TreeSet<>(seen).size());
        assertEquals(0, Awaits.poll(poller));
    }

    @EachMechanism
    void whatAHandlerThatThrowsDidNotSeeGoesToAThreadThatWaits(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        writable(lab, poller, 3, POLLOUT | ONESHOT); // no more than one thread is given at a time
        AtomicReference<Job<List<Report>>> other = new AtomicReference<>();
        assertThrows(IOException.class, () -> poller.await((descriptor, events, attachment) -> {
            other.set(awaiting(lab, poller));
            throw new IOException("the handler's own");
        }, Awaits.PATIENCE));
        assertTrue(other.get().result().size() > 0);
    }

    @EachMechanism
    void whileAHandlerIsAtWorkAnotherThreadIsGivenSomeOfTheRest(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        writable(lab, poller, 100, POLLOUT | ONESHOT);
        List<Report> others = new ArrayList<>();
        int own = poller.await((descriptor, events, attachment) -> {
            if (others.isEmpty()) {
                others.addAll(result(lab.start(() -> Form.HANDLER.reports(poller, Awaits.FOR_EVER))));
            }
        }, Awaits.PATIENCE);
        assertTrue(others.size() > own, "the other thread, which was not held up, got " + others.size() + " of 100, this one " + own);
        assertEquals(100, own + others.size());
    }

    @EachMechanism
    void aHandlerClosesThePollerAndNothingElseIsReported(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        writable(lab, poller, 3, POLLOUT);
        int[] handled = new int[1];
        assertThrows(ClosedPollerException.class, () -> poller.await((descriptor, events, attachment) -> {
            handled[0]++;
            poller.close();
        }, Awaits.PATIENCE));
        assertEquals(1, handled[0], "calls of the handler");
        assertFalse(poller.isOpen());
    }

    @EachMechanism
    void anAwaitInsideAHandlerLosesNothing(PollerLab lab) throws Exception {
        for (Form form : Form.values()) {
            Poller poller = lab.poller();
            writable(lab, poller, 6, POLLOUT | ONESHOT);
            List<Integer> seen = new ArrayList<>();
            poller.await((descriptor, events, attachment) -> {
                seen.add(descriptor);
                form.await(poller, 0, (inner, innerEvents, innerAttachment) -> seen.add(inner));
            }, Awaits.PATIENCE);
            while (seen.size() < 6) {
                assertTrue(poller.await((descriptor, events, attachment) -> seen.add(descriptor), 0) > 0, "lost: all but " + seen);
            }
            assertEquals(6, new TreeSet<>(seen).size(), seen.toString());
        }
    }

    /** Adds channels that are writable, each its own attachment. */
    private static List<DatagramChannel> writable(PollerLab lab, Poller poller, int count, int events) throws IOException {
        List<DatagramChannel> channels = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            DatagramChannel channel = lab.datagram();
            channels.add(channel);
            poller.add(channel, events, channel);
        }
        return channels;
    }

    private static <T> T result(Job<T> job) {
        try {
            return job.result();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private static Job<List<Report>> awaiting(PollerLab lab, Poller poller) {
        Job<List<Report>> job = lab.start(() -> Form.HANDLER.reports(poller, Awaits.FOR_EVER));
        try {
            job.awaitSelecting();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
        return job;
    }

    private static void assertOthersAreNotReported(PollerLab lab, Poller poller, Step step) throws Exception {
        List<DatagramChannel> channels = writable(lab, poller, 3, POLLOUT);
        int[] handled = new int[1];
        int n = poller.await((descriptor, events, attachment) -> {
            handled[0]++;
            for (DatagramChannel other : channels) {
                if (other != attachment) {
                    step.to(other);
                }
            }
        }, Awaits.PATIENCE);
        assertEquals(1, handled[0]);
        assertEquals(1, n);
        assertEquals(1, Awaits.poll(poller));
    }

    private static void raise(Throwable thrown) throws IOException {
        if (thrown instanceof IOException checked) {
            throw checked;
        }
        if (thrown instanceof RuntimeException unchecked) {
            throw unchecked;
        }
        throw (Error) thrown;
    }
}
