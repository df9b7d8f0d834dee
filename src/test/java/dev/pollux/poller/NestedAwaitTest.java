// SPDX-License-Identifier: Apache-2.0
package dev.pollux.poller;

import static dev.pollux.Poller.ONESHOT;
import static dev.pollux.Poller.POLLOUT;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.Poller;
import dev.pollux.Poller.Member;
import java.io.IOException;
import java.util.HashSet;
import java.util.Set;

/** A handler that calls an await of the same Poller, in the same thread. */
class NestedAwaitTest {

    private static final int MEMBERS = 5;

    /** What a handler does with the Poller that has called it. */
    private interface Nested {
        void await(Poller poller, Set<Member> seen) throws IOException;
    }

    @EachMechanism
    void aMemberThatANestedIterationDoesNotComeToIsReportedLater(PollerLab lab) throws Exception {
        assertEveryMemberIsReportedOnce(lab, (poller, seen) -> poller.await(0, NANOSECONDS));
    }

    @EachMechanism
    void aMemberThatANestedIterationHasLookedForIsReportedLater(PollerLab lab) throws Exception {
        assertEveryMemberIsReportedOnce(lab, (poller, seen) ->
                assertEquals(seen.size() < MEMBERS, poller.await(0, NANOSECONDS).iterator().hasNext()));
    }

    @EachMechanism
    void whatANestedAwaitWritesIntoArraysIsNotReportedAgain(PollerLab lab) throws Exception {
        int[] descriptors = new int[2];
        assertEveryMemberIsReportedOnce(lab, (poller, seen) -> {
            int n = poller.await(descriptors, new short[2], 0, NANOSECONDS);
            for (int i = 0; i < n; i++) {
                assertTrue(seen.add(poller.find(descriptors[i])));
            }
        });
    }

    @EachMechanism
    void whatANestedAwaitHasNoRoomForIsReportedLater(PollerLab lab) throws Exception {
        int[] room = new int[MEMBERS + 1];
        assertEveryMemberIsReportedOnce(lab, (poller, seen) -> {
            if (seen.size() == 1) { // with all of its room left for what the handler's own await goes on with
                poller.await(room, new short[1], 0, NANOSECONDS);
                assertTrue(seen.add(poller.find(room[0])), "reported twice");
            }
        });
    }

    @EachMechanism
    void whatANestedHandlerIsCalledForIsNotReportedAgain(PollerLab lab) throws Exception {
        assertEveryMemberIsReportedOnce(lab,
                (poller, seen) -> poller.await((member, events) -> assertTrue(seen.add(member)), 0, NANOSECONDS));
    }

    /** Else it would not return: a nested await finds all of them again when it finds nothing left. */
    @EachMechanism
    void anAwaitReportsOnlyWhatItHasFoundItself(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        for (int i = 0; i < MEMBERS; i++) {
            poller.add(lab.datagram(), POLLOUT);
        }
        assertEquals(MEMBERS / 2 + 1, poller.await(
                (member, events) -> poller.await(new int[1], new short[1], 0, NANOSECONDS), 0, NANOSECONDS));
    }

    private static void assertEveryMemberIsReportedOnce(PollerLab lab, Nested nested) throws Exception {
        Poller poller = lab.poller();
        Set<Member> expected = new HashSet<>();
        for (int i = 0; i < MEMBERS; i++) {
            expected.add(poller.add(lab.datagram(), POLLOUT | ONESHOT));
        }
        Set<Member> seen = new HashSet<>();
        for (int i = 0; i < 2 * MEMBERS; i++) {
            poller.await((member, events) -> {
                assertTrue(seen.add(member), "reported twice");
                nested.await(poller, seen);
            }, 0, NANOSECONDS);
        }
        assertEquals(expected, seen);
    }
}
