// SPDX-License-Identifier: Apache-2.0
package dev.pollux.poller;

import static dev.pollux.Poller.ONESHOT;
import static dev.pollux.Poller.POLLIN;
import static dev.pollux.Poller.POLLOUT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.Poller;
import dev.pollux.Poller.Ready;
import dev.pollux.lab.Job;
import java.nio.channels.DatagramChannel;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.TreeSet;

/** The form of await that is iterated over. */
class IterableTest {

    @EachMechanism
    void anIteratorEndsAsIteratorsDo(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        poller.add(lab.datagram(), POLLOUT);
        Iterator<Ready> iterator = poller.await(0).iterator();
        assertTrue(iterator.hasNext());
        assertTrue(iterator.hasNext());
        iterator.next();
        assertFalse(iterator.hasNext());
        assertThrows(NoSuchElementException.class, iterator::next);
    }

    @EachMechanism
    void nextAloneGoesThroughAllEntries(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Set<Integer> expected = add(lab, poller, 5, POLLOUT);
        Iterator<Ready> iterator = poller.await(0).iterator();
        Set<Integer> seen = new TreeSet<>();
        for (int i = 0; i < 5; i++) {
            seen.add(iterator.next().descriptor());
        }
        assertEquals(expected, seen);
    }

    @EachMechanism
    void entriesAreValidUntilTheNextAwait(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Set<Integer> expected = add(lab, poller, 5, POLLOUT);
        List<Ready> entries = new ArrayList<>();
        poller.await(0).forEach(entries::add);
        Set<Integer> seen = new TreeSet<>();
        for (Ready ready : entries) {
            assertEquals(POLLOUT, ready.events());
            assertEquals("attachment", ready.attachment());
            seen.add(ready.descriptor());
        }
        assertEquals(expected, seen);
    }

    @EachMechanism
    void whatWasNotIteratedIsReportedByTheNextAwait(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Set<Integer> expected = add(lab, poller, 10, POLLOUT | ONESHOT);
        Iterator<Ready> iterator = poller.await(Awaits.PATIENCE).iterator();
        Set<Integer> seen = new TreeSet<>();
        for (int i = 0; i < 3; i++) {
            seen.add(iterator.next().descriptor());
        }
        while (seen.size() < 10) {
            int n = poller.await((descriptor, events, attachment) -> assertTrue(seen.add(descriptor)), 0);
            assertTrue(n > 0, "lost: all but " + seen);
        }
        assertEquals(expected, seen);
        assertEquals(0, Awaits.poll(poller));
    }

    @EachMechanism
    void whatHasNextHasSeenAndNextHasNotIsReportedByTheNextAwait(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        add(lab, poller, 1, POLLOUT | ONESHOT);
        for (Form form : Form.values()) {
            assertTrue(poller.await(Awaits.PATIENCE).iterator().hasNext());
            List<Report> reports = form.reports(poller, Awaits.PATIENCE);
            assertEquals(1, reports.size());
            poller.enable(reports.get(0).descriptor());
        }
    }

    @EachMechanism
    void whatWasNotIteratedAtAllIsReportedByTheNextAwait(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Set<Integer> expected = add(lab, poller, 10, POLLOUT | ONESHOT);
        for (int i = 0; i < 10; i++) {
            poller.await(0);
        }
        Set<Integer> seen = new TreeSet<>();
        poller.await((descriptor, events, attachment) -> seen.add(descriptor), 0);
        assertEquals(expected, seen);
    }

    @EachMechanism
    void anEntryThatIsRemovedMeanwhileIsPassedOver(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Set<Integer> all = add(lab, poller, 5, POLLOUT);
        int seen = 0;
        for (Ready ready : poller.await(0)) {
            seen++;
            for (int descriptor : all) {
                if (descriptor != ready.descriptor()) {
                    poller.remove(descriptor);
                }
            }
        }
        assertEquals(1, seen);
    }

    @EachMechanism
    void twoThreadsIterateOverTheirOwnEntries(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        DatagramChannel first = lab.datagram();
        int descriptor = poller.add(first, POLLOUT | ONESHOT, "first");
        Iterable<Ready> mine = poller.await(Awaits.PATIENCE);
        Job<List<Report>> other = lab.start(() -> Form.ITERABLE.reports(poller, Awaits.FOR_EVER));
        other.awaitSelecting();
        int second = poller.add(lab.fedPipe().source(), POLLIN | ONESHOT, "second");
        assertEquals(List.of(new Report(second, POLLIN, "second")), other.result());
        Ready ready = mine.iterator().next();
        assertEquals(new Report(descriptor, POLLOUT, "first"), new Report(ready.descriptor(), ready.events(), ready.attachment()));
    }

    @EachMechanism
    void twoPollersOfOneThreadHaveTheirOwnEntries(PollerLab lab) throws Exception {
        Poller one = lab.poller();
        Poller two = lab.poller();
        int descriptor = one.add(lab.datagram(), POLLOUT);
        two.add(lab.datagram(), POLLOUT);
        Iterable<Ready> ofOne = one.await(0);
        Iterable<Ready> ofTwo = two.await(0);
        assertNotSame(ofOne, ofTwo);
        assertEquals(descriptor, ofOne.iterator().next().descriptor());
    }

    private static Set<Integer> add(PollerLab lab, Poller poller, int count, int events) throws Exception {
        Set<Integer> descriptors = new TreeSet<>();
        for (int i = 0; i < count; i++) {
            descriptors.add(poller.add(lab.datagram(), events, "attachment"));
        }
        return descriptors;
    }
}
