// SPDX-License-Identifier: Apache-2.0
package dev.pollux.poller;

import static dev.pollux.Poller.ONESHOT;
import static dev.pollux.Poller.POLLIN;
import static dev.pollux.Poller.POLLOUT;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.ClosedPollerException;
import dev.pollux.Poller;
import dev.pollux.Poller.Member;
import dev.pollux.Poller.Ready;
import dev.pollux.lab.Io;
import dev.pollux.lab.Job;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Set;

/** The form of await that is iterated over. */
class IterableTest {

    @EachMechanism
    void anIteratorEndsAsIteratorsDo(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        poller.add(lab.datagram(), POLLOUT);
        Iterator<Ready> iterator = poller.await(0, NANOSECONDS).iterator();
        assertTrue(iterator.hasNext());
        assertTrue(iterator.hasNext());
        iterator.next();
        assertFalse(iterator.hasNext());
        assertThrows(NoSuchElementException.class, iterator::next);
    }

    @EachMechanism
    void nextAloneGoesThroughAllMembers(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Set<Member> expected = add(lab, poller, 5, POLLOUT);
        Iterator<Ready> iterator = poller.await(0, NANOSECONDS).iterator();
        Set<Member> seen = new HashSet<>();
        for (int i = 0; i < 5; i++) {
            seen.add(iterator.next().member());
        }
        assertEquals(expected, seen);
    }

    @EachMechanism
    void whatIsIteratedIsValidUntilTheNextAwait(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Set<Member> expected = add(lab, poller, 5, POLLOUT);
        List<Ready> all = new ArrayList<>();
        poller.await(0, NANOSECONDS).forEach(all::add);
        Set<Member> seen = new HashSet<>();
        for (Ready ready : all) {
            assertEquals(POLLOUT, ready.events());
            assertEquals("attachment", ready.member().attachment());
            seen.add(ready.member());
        }
        assertEquals(expected, seen);
    }

    @EachMechanism
    void whatThisThreadRemovesWhileItLooksAtItStaysAsItIs(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Member member = poller.add(lab.datagram(), POLLOUT, "attachment");
        Ready ready = poller.await(0, NANOSECONDS).iterator().next();
        ready.member().remove();
        assertSame(member, ready.member());
        assertEquals("attachment", ready.member().attachment());
        assertFalse(member.isValid());
        poller.add(lab.datagram(), POLLOUT, "other");
        assertEquals("other", poller.await(0, NANOSECONDS).iterator().next().member().attachment());
        assertSame(member, ready.member());
    }

    @EachMechanism
    void whatThisThreadLooksAtWhenItClosesThePollerStaysAsItIs(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Member member = poller.add(lab.datagram(), POLLOUT, "attachment");
        Ready ready = poller.await(0, NANOSECONDS).iterator().next();
        poller.close();
        assertSame(member, ready.member());
    }

    @EachMechanism
    void whatAnotherThreadRemovesIsEqualToTheMemberAndHasNoAttachment(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Member member = poller.add(lab.datagram(), POLLOUT, "attachment");
        Ready ready = poller.await(0, NANOSECONDS).iterator().next();
        assertTrue(ready.toString().contains("attachment"), ready.toString());
        lab.start(() -> {
            member.remove();
            return true;
        }).result();
        assertEquals(member.descriptor(), ready.member().descriptor());
        assertEquals(POLLOUT, ready.events());
        assertNull(ready.member().attachment());
        assertEquals(member, ready.member());
        assertEquals(member.hashCode(), ready.member().hashCode());
        assertNotEquals(poller.add(lab.datagram(), POLLOUT), ready.member());
        assertThrows(IllegalStateException.class, () -> ready.member().enable());
        assertEquals("attachment", member.attachment());
    }

    @EachMechanism
    void whatWasNotIteratedIsReportedByTheNextAwait(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Set<Member> expected = add(lab, poller, 10, POLLOUT | ONESHOT);
        Iterator<Ready> iterator = poller.await(Awaits.PATIENCE, NANOSECONDS).iterator();
        Set<Member> seen = new HashSet<>();
        for (int i = 0; i < 3; i++) {
            seen.add(iterator.next().member());
        }
        while (seen.size() < 10) {
            int n = poller.await((member, events) -> assertTrue(seen.add(member)), 0, NANOSECONDS);
            assertTrue(n > 0, "lost: all but " + seen);
        }
        assertEquals(expected, seen);
        assertEquals(0, Awaits.poll(poller));
    }

    @EachMechanism
    void whatHasNextHasSeenAndNextHasNotIsReportedByTheNextAwait(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Member member = poller.add(lab.datagram(), POLLOUT | ONESHOT);
        for (Form form : Form.values()) {
            assertTrue(poller.await(Awaits.PATIENCE, NANOSECONDS).iterator().hasNext());
            assertEquals(List.of(new Report(member, POLLOUT)), form.reports(poller, Awaits.PATIENCE));
            member.enable();
        }
    }

    @EachMechanism
    void whatWasNotIteratedAtAllIsReportedByTheNextAwait(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Set<Member> expected = add(lab, poller, 10, POLLOUT | ONESHOT);
        for (int i = 0; i < 10; i++) {
            poller.await(0, NANOSECONDS);
        }
        Set<Member> seen = new HashSet<>();
        while (seen.size() < 10) {
            int n = poller.await((member, events) -> assertTrue(seen.add(member)), 0, NANOSECONDS);
            assertTrue(n > 0, "lost: all but " + seen);
        }
        assertEquals(expected, seen);
    }

    @EachMechanism
    void aMemberThatIsRemovedMeanwhileIsPassedOver(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Set<Member> all = add(lab, poller, 5, POLLOUT);
        int seen = 0;
        for (Ready ready : poller.await(0, NANOSECONDS)) {
            seen++;
            for (Member other : all) {
                if (!other.equals(ready.member())) {
                    other.remove();
                }
            }
        }
        assertEquals(1, seen);
    }

    @EachMechanism
    void anIterationBeginsWithTheMemberItWasGivenThoughAnotherThreadAwaitsMeanwhile(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Member first = poller.add(lab.datagram(), POLLOUT | ONESHOT);
        Iterable<Ready> mine = poller.await(Awaits.PATIENCE, NANOSECONDS);
        Job<List<Report>> other = lab.start(() -> Form.ITERABLE.reports(poller, Awaits.FOR_EVER));
        other.awaitSelecting();
        Member second = poller.add(lab.fedPipe().source(), POLLIN | ONESHOT);
        assertEquals(List.of(new Report(second, POLLIN)), other.result());
        Ready ready = mine.iterator().next();
        assertEquals(new Report(first, POLLOUT), new Report(ready.member(), ready.events()));
    }

    @EachMechanism
    void anIterationEndsWhereAnotherThreadHasTakenTheRest(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Set<Member> expected = add(lab, poller, 5, POLLOUT | ONESHOT);
        Set<Member> seen = new HashSet<>();
        Iterator<Ready> mine = poller.await(Awaits.PATIENCE, NANOSECONDS).iterator();
        seen.add(mine.next().member());
        lab.start(() -> Form.ITERABLE.reports(poller, Awaits.FOR_EVER)).result()
                .forEach(report -> seen.add(report.member()));
        assertEquals(expected, seen);
        assertFalse(mine.hasNext());
    }

    @EachMechanism
    void twoPollersOfOneThreadHaveTheirOwnIterations(PollerLab lab) throws Exception {
        Poller one = lab.poller();
        Poller two = lab.poller();
        Member member = one.add(lab.datagram(), POLLOUT);
        two.add(lab.datagram(), POLLOUT);
        Iterable<Ready> ofOne = one.await(0, NANOSECONDS);
        Iterable<Ready> ofTwo = two.await(0, NANOSECONDS);
        assertNotSame(ofOne, ofTwo);
        assertEquals(member, ofOne.iterator().next().member());
    }

    @EachMechanism
    void anIterationDoesNotGoOnWhenThePollerWasClosed(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        add(lab, poller, 3, POLLOUT);
        Iterator<Ready> iterator = poller.await(0, NANOSECONDS).iterator();
        iterator.next();
        poller.close();
        assertThrows(ClosedPollerException.class, iterator::hasNext);
        assertThrows(ClosedPollerException.class, iterator::next);
    }

    @EachMechanism
    void anIterationDoesNotBeginWhenThePollerWasClosed(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        add(lab, poller, 3, POLLOUT);
        Iterator<Ready> iterator = poller.await(0, NANOSECONDS).iterator();
        Iterator<Ready> seen = lab.start(() -> {
            Iterator<Ready> other = poller.await(0, NANOSECONDS).iterator();
            assertTrue(other.hasNext());
            return other;
        }).result();
        lab.start(() -> {
            poller.close();
            return null;
        }).result();
        assertThrows(ClosedPollerException.class, iterator::next);
        assertThrows(ClosedPollerException.class, iterator::hasNext);
        Ready promised = seen.next();
        assertThrows(ClosedPollerException.class, promised::member);
        assertThrows(ClosedPollerException.class, seen::hasNext);
    }

    @EachMechanism
    void whatHasNextHasPromisedStaysSoThoughAnotherThreadRemovesIt(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Member member = poller.add(lab.datagram(), POLLOUT);
        Iterator<Ready> iterator = poller.await(0, NANOSECONDS).iterator();
        assertTrue(iterator.hasNext());
        runInAnotherThread(lab, member::remove);
        assertTrue(iterator.hasNext());
        assertEquals(member.descriptor(), iterator.next().member().descriptor());
        assertFalse(iterator.hasNext());
    }

    @EachMechanism
    void whatHasNextHasPromisedStaysSoThoughAnotherThreadClosesThePoller(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        poller.add(lab.datagram(), POLLOUT);
        Iterator<Ready> iterator = poller.await(0, NANOSECONDS).iterator();
        assertTrue(iterator.hasNext());
        runInAnotherThread(lab, poller::close);
        assertTrue(iterator.hasNext());
        assertEquals(POLLOUT, iterator.next().events());
        assertThrows(ClosedPollerException.class, iterator::hasNext);
    }

    @EachMechanism
    void theFirstMemberIsPassedOverIfItIsRemovedBeforeTheIterationBegins(PollerLab lab) throws Exception {
        assertNothingIsIterated(lab, Member::remove);
    }

    @EachMechanism
    void theFirstMemberIsPassedOverIfItIsDisabledBeforeTheIterationBegins(PollerLab lab) throws Exception {
        assertNothingIsIterated(lab, Member::disable);
    }

    private interface Change {
        void of(Member member) throws IOException;
    }

    private static void assertNothingIsIterated(PollerLab lab, Change change) throws Exception {
        Poller poller = lab.poller();
        Member first = poller.add(lab.datagram(), POLLOUT | ONESHOT);
        Iterator<Ready> iterator = poller.await(0, NANOSECONDS).iterator();
        runInAnotherThread(lab, () -> change.of(first));
        assertFalse(iterator.hasNext());
        assertThrows(NoSuchElementException.class, iterator::next);
    }

    private static void runInAnotherThread(PollerLab lab, Io.Step step) throws Exception {
        lab.start(() -> {
            step.run();
            return true;
        }).result();
    }

    private static Set<Member> add(PollerLab lab, Poller poller, int count, int events) throws Exception {
        Set<Member> members = new HashSet<>();
        for (int i = 0; i < count; i++) {
            members.add(poller.add(lab.datagram(), events, "attachment"));
        }
        return members;
    }
}
