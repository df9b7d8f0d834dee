// SPDX-License-Identifier: Apache-2.0
package dev.pollux.poller;

import static dev.pollux.Poller.ONESHOT;
import static dev.pollux.Poller.POLLIN;
import static dev.pollux.Poller.POLLOUT;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.Poller;
import dev.pollux.Poller.Member;
import dev.pollux.lab.Job;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;

/** Awaits that report a number of members at most, and what becomes of the rest. */
class LimitTest {

    @EachMechanism
    void noFormReportsMoreThanItIsAskedFor(PollerLab lab) throws Exception {
        for (Form form : Form.LIMITED) {
            for (int most = 1; most <= 7; most++) {
                Poller poller = lab.poller();
                add(lab, poller, 5, POLLOUT);
                Set<Member> seen = new HashSet<>();
                int n = form.awaitAtMost(most, poller, 0, (member, events) -> assertTrue(seen.add(member)));
                assertEquals(Math.min(most, 5), n);
                assertEquals(n, seen.size());
            }
        }
    }

    @EachMechanism
    void arraysWithoutRoomAreRefused(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Set<Member> expected = add(lab, poller, 2, POLLOUT | ONESHOT);
        assertThrows(IllegalArgumentException.class, () -> poller.await(new int[0], new short[3], 0, NANOSECONDS));
        assertThrows(IllegalArgumentException.class, () -> poller.await(new int[3], new short[0], 0, NANOSECONDS));
        assertThrows(IllegalArgumentException.class, () -> poller.await(new int[0], new short[0], 0, NANOSECONDS));
        assertReports(expected, Form.ARRAYS, 2, poller);
    }

    @EachMechanism
    void noMoreAreWrittenThanTheArraysHaveRoomFor(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        add(lab, poller, 5, POLLOUT);
        int[] descriptors = new int[8];
        Arrays.fill(descriptors, -7);
        assertEquals(3, poller.await(descriptors, new short[3], 0, NANOSECONDS));
        assertEquals(2, poller.await(new int[2], new short[8], 0, NANOSECONDS));
        for (int i = 0; i < 8; i++) {
            assertEquals(i >= 3, descriptors[i] == -7, Arrays.toString(descriptors));
        }
    }

    @EachMechanism
    void theRestIsReportedByTheNextAwaitsOfTheSameThread(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        for (Form form : Form.LIMITED) {
            Set<Member> expected = add(lab, poller, 10, POLLOUT | ONESHOT);
            assertReports(expected, form, 3, poller);
            assertEquals(0, Awaits.poll(poller));
        }
    }

    @EachMechanism
    void theRestIsReportedByTheAwaitOfAnotherThread(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        for (Form form : Form.LIMITED) {
            Set<Member> expected = add(lab, poller, 10, POLLOUT | ONESHOT);
            Set<Member> seen = new HashSet<>();
            assertEquals(3, form.awaitAtMost(3, poller, 0, (member, events) -> assertTrue(seen.add(member))));
            for (Form others : Form.LIMITED) {
                Job<Integer> job = lab.start(() -> others.awaitAtMost(2, poller, Awaits.FOR_EVER,
                        (member, events) -> assertTrue(seen.add(member))));
                assertEquals(2, job.result());
            }
            assertEquals(3, Form.HANDLER.await(poller, 0, (member, events) -> assertTrue(seen.add(member))));
            assertEquals(expected, seen);
        }
    }

    @EachMechanism
    void theRestIsReportedAsItWasFoundThoughAnotherBecameReady(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Set<Member> first = add(lab, poller, 4, POLLOUT | ONESHOT);
        Set<Member> seen = new HashSet<>();
        assertTrue(seen.add(poller.await(0, NANOSECONDS).iterator().next().member()));
        Member late = poller.add(lab.fedPipe().source(), POLLIN | ONESHOT);
        assertEquals(3, poller.await((member, events) -> seen.add(member), 0, NANOSECONDS));
        assertEquals(first, seen);
        assertEquals(new Report(late, POLLIN), Awaits.only(poller));
    }

    @EachMechanism
    void everyReadyMemberGetsItsTurnInArraysThatAreTooSmall(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        add(lab, poller, 5, POLLOUT);
        int[] descriptors = new int[1];
        Set<Integer> seen = new HashSet<>();
        for (int i = 0; i < 100; i++) {
            assertEquals(1, poller.await(descriptors, new short[1], 0, NANOSECONDS));
            seen.add(descriptors[0]);
        }
        assertEquals(5, seen.size(), seen + " in 100 awaits");
    }

    /** Each of the members is reported once, by as many awaits as it takes. */
    private static void assertReports(Set<Member> expected, Form form, int most, Poller poller) throws Exception {
        Set<Member> seen = new HashSet<>();
        while (seen.size() < expected.size()) {
            int n = form.awaitAtMost(most, poller, Awaits.PATIENCE,
                    (member, events) -> assertTrue(seen.add(member), "a one-shot member was reported twice"));
            assertTrue(n > 0 && n <= most, n + " of " + most + ", after " + seen);
        }
        assertEquals(expected, seen);
    }

    private static Set<Member> add(PollerLab lab, Poller poller, int count, int events) throws Exception {
        Set<Member> members = new HashSet<>();
        for (int i = 0; i < count; i++) {
            members.add(poller.add(lab.datagram(), events));
        }
        return members;
    }
}
