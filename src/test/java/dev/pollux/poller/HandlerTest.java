// SPDX-License-Identifier: Apache-2.0
package dev.pollux.poller;

import static dev.pollux.Poller.ONESHOT;
import static dev.pollux.Poller.POLLIN;
import static dev.pollux.Poller.POLLOUT;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.ClosedPollerException;
import dev.pollux.Poller;
import dev.pollux.Poller.Member;
import dev.pollux.lab.Job;
import java.io.IOException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Pipe;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** What a handler may do to the Poller that calls it, and what becomes of the other members. */
class HandlerTest {

    /** What the handler of the first member does to the others. */
    private interface Step {
        void to(Member other) throws IOException;
    }

    @EachMechanism
    void aMemberThatAnEarlierHandlerRemovedIsNotReported(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        assertOthersAreNotReported(lab, poller, Member::remove);
        assertEquals(1, poller.size());
    }

    @EachMechanism
    void aMemberThatAnEarlierHandlerRemovedAndClosedIsNotReported(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        assertOthersAreNotReported(lab, poller, other -> {
            other.remove();
            ((DatagramChannel) other.attachment()).close();
        });
    }

    @EachMechanism
    void aMemberThatAnEarlierHandlerDisabledIsNotReported(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        assertOthersAreNotReported(lab, poller, Member::disable);
        assertEquals(3, poller.size());
    }

    @EachMechanism
    void aOneShotMemberThatAnEarlierHandlerDisabledIsNotReportedAndStaysDisabled(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        List<Member> members = writable(lab, poller, 3, POLLOUT | ONESHOT);
        assertThrows(IOException.class, () -> poller.await((member, events) -> {
            for (Member each : members) {
                each.disable();
            }
            throw new IOException("the handler's own");
        }, Awaits.PATIENCE, NANOSECONDS));
        assertEquals(0, Awaits.poll(poller));
        for (Member each : members) {
            each.enable();
        }
        assertEquals(3, Awaits.poll(poller));
    }

    @EachMechanism
    void aMemberThatAnEarlierHandlerModifiedIsNotReportedForWhatItWas(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        assertOthersAreNotReported(lab, poller, other -> other.modify(POLLIN));
    }

    @EachMechanism
    void aMemberThatAnEarlierHandlerReplacedIsReportedAsTheNewOne(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        List<Member> members = writable(lab, poller, 3, POLLOUT);
        List<Member> reported = new ArrayList<>();
        Set<Member> fresh = new HashSet<>();
        poller.await((member, events) -> {
            reported.add(member);
            for (Member other : members) {
                if (reported.size() == 1 && !other.equals(member)) {
                    other.remove();
                    fresh.add(poller.add((DatagramChannel) other.attachment(), POLLOUT | ONESHOT));
                }
            }
        }, Awaits.PATIENCE, NANOSECONDS);
        Awaits.reports(poller).forEach(report -> reported.add(report.member()));
        Member first = reported.get(0);
        reported.removeIf(member -> member.equals(first));
        assertEquals(2, reported.size());
        assertEquals(fresh, new HashSet<>(reported));
    }

    @EachMechanism
    void aHandlerRemovesItsOwnMember(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        writable(lab, poller, 3, POLLOUT);
        assertEquals(3, poller.await((member, events) -> member.remove(), Awaits.PATIENCE, NANOSECONDS));
        assertEquals(0, poller.size());
        assertEquals(0, Awaits.poll(poller));
    }

    @EachMechanism
    void aMemberThatAHandlerAddsIsReportedByTheNextAwait(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Pipe pipe = lab.fedPipe();
        writable(lab, poller, 1, POLLOUT | ONESHOT);
        Poller.Handler handler = (member, events) -> poller.add(pipe.source(), POLLIN, "new");
        assertEquals(1, poller.await(handler, Awaits.PATIENCE, NANOSECONDS));
        assertEquals("new", Awaits.only(poller).attachment());
    }

    @EachMechanism
    void whatAHandlerThrowsIsThrown(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        writable(lab, poller, 1, POLLOUT);
        for (Throwable own : List.of(new IOException("own"), new IllegalArgumentException("own"),
                new AssertionError("own"))) {
            assertSame(own, assertThrows(own.getClass(),
                    () -> poller.await((member, events) -> raise(own), 0, NANOSECONDS)));
        }
        assertEquals(1, Awaits.poll(poller));
    }

    @EachMechanism
    void whatAHandlerThatThrowsDidNotSeeIsReportedByTheNextAwaits(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        writable(lab, poller, 10, POLLOUT | ONESHOT);
        List<Member> seen = new ArrayList<>();
        assertThrows(IOException.class, () -> poller.await((member, events) -> {
            seen.add(member);
            if (seen.size() == 4) {
                throw new IOException("the handler's own");
            }
        }, Awaits.PATIENCE, NANOSECONDS));
        while (seen.size() < 10) {
            assertTrue(poller.await((member, events) -> seen.add(member), 0, NANOSECONDS) > 0, "lost: all but " + seen);
        }
        assertEquals(10, new HashSet<>(seen).size());
        assertEquals(0, Awaits.poll(poller));
    }

    @EachMechanism
    void whatAHandlerThatThrowsDidNotSeeGoesToAThreadThatWaits(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        List<Member> members = writable(lab, poller, 3, POLLOUT | ONESHOT);
        Set<Member> seen = new HashSet<>();
        assertThrows(IOException.class, () -> poller.await((member, events) -> {
            seen.add(member);
            throw new IOException("the handler's own");
        }, Awaits.PATIENCE, NANOSECONDS));
        lab.start(() -> Form.HANDLER.reports(poller, Awaits.FOR_EVER)).result()
                .forEach(report -> seen.add(report.member()));
        assertEquals(new HashSet<>(members), seen);
    }

    @EachMechanism
    void whileAHandlerIsAtWorkAnotherThreadIsGivenAllTheRest(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        writable(lab, poller, 100, POLLOUT | ONESHOT);
        List<Report> others = new ArrayList<>();
        assertEquals(1, poller.await((member, events) -> others.addAll(result(
                lab.start(() -> Form.HANDLER.reports(poller, Awaits.FOR_EVER)))), Awaits.PATIENCE, NANOSECONDS));
        assertEquals(99, others.size());
    }

    @EachMechanism
    void aHandlerClosesThePollerAndNothingElseIsReported(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        writable(lab, poller, 3, POLLOUT);
        int[] handled = new int[1];
        assertThrows(ClosedPollerException.class, () -> poller.await((member, events) -> {
            handled[0]++;
            poller.close();
        }, Awaits.PATIENCE, NANOSECONDS));
        assertEquals(1, handled[0], "calls of the handler");
        assertFalse(poller.isOpen());
    }

    @EachMechanism
    void anAwaitInsideAHandlerLosesNothing(PollerLab lab) throws Exception {
        for (Form form : Form.values()) {
            Poller poller = lab.poller();
            writable(lab, poller, 6, POLLOUT | ONESHOT);
            List<Member> seen = new ArrayList<>();
            poller.await((member, events) -> {
                seen.add(member);
                form.await(poller, 0, (inner, innerEvents) -> seen.add(inner));
            }, Awaits.PATIENCE, NANOSECONDS);
            while (seen.size() < 6) {
                assertTrue(poller.await((member, events) -> seen.add(member), 0, NANOSECONDS) > 0,
                        "lost: all but " + seen);
            }
            assertEquals(6, new HashSet<>(seen).size(), seen.toString());
        }
    }

    /** Adds channels that are writable, each its member's attachment. */
    private static List<Member> writable(PollerLab lab, Poller poller, int count, int events) throws IOException {
        List<Member> members = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            DatagramChannel channel = lab.datagram();
            members.add(poller.add(channel, events, channel));
        }
        return members;
    }

    private static <T> T result(Job<T> job) {
        try {
            return job.result();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private static void assertOthersAreNotReported(PollerLab lab, Poller poller, Step step) throws Exception {
        List<Member> members = writable(lab, poller, 3, POLLOUT);
        int[] handled = new int[1];
        int n = poller.await((member, events) -> {
            handled[0]++;
            for (Member other : members) {
                if (!other.equals(member)) {
                    step.to(other);
                }
            }
        }, Awaits.PATIENCE, NANOSECONDS);
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
