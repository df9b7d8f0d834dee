// SPDX-License-Identifier: Apache-2.0
package dev.pollux.poller;

import static dev.pollux.Poller.EDGE;
import static dev.pollux.Poller.ONESHOT;
import static dev.pollux.Poller.POLLIN;
import static dev.pollux.Poller.POLLOUT;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.ClosedPollerException;
import dev.pollux.Poller;
import dev.pollux.Poller.Member;
import dev.pollux.lab.Descriptors;
import dev.pollux.lab.Job;
import java.nio.channels.DatagramChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** The handle of a member. */
class MemberTest {

    @EachMechanism
    void aMemberKnowsItsDescriptorItsEventsAndItsAttachment(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        DatagramChannel channel = lab.datagram();
        Object attachment = new Object();
        Member member = poller.add(channel, POLLIN | POLLOUT | ONESHOT, attachment);
        assertEquals(Descriptors.numberOf(channel), member.descriptor());
        assertEquals(POLLIN | POLLOUT | ONESHOT, member.events());
        assertSame(attachment, member.attachment());
        assertNull(member.refusal());
    }

    @EachMechanism
    void aMemberTellsWhatItIs(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Member member = poller.add(lab.datagram(), POLLIN | POLLOUT, "what was attached");
        assertTrue(member.toString().contains(Integer.toString(member.descriptor())), member.toString());
        assertTrue(member.toString().contains("POLLIN | POLLOUT"), member.toString());
        assertTrue(member.toString().contains("what was attached"), member.toString());
        member.remove();
        poller.close();
        assertTrue(member.toString().contains(Integer.toString(member.descriptor())), member.toString());
    }

    @EachMechanism
    void theEventsAreThoseLastAskedForDisabledOrNot(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Member member = poller.add(lab.datagram(), POLLIN);
        member.modify(POLLOUT | ONESHOT);
        assertEquals(POLLOUT | ONESHOT, member.events());
        assertEquals(1, Awaits.poll(poller));
        assertEquals(POLLOUT | ONESHOT, member.events());
        member.disable();
        assertEquals(POLLOUT | ONESHOT, member.events());
        member.modify(0);
        assertEquals(0, member.events());
    }

    @EachMechanism
    void aRefusedModificationLeavesTheEvents(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Member member = poller.add(lab.datagram(), POLLOUT);
        Exception unknown = assertThrows(IllegalArgumentException.class, () -> member.modify(POLLIN | 1 << 15));
        assertTrue(unknown.getMessage().contains("0x8000;"), unknown.toString());
        assertTrue(unknown.getMessage().contains("POLLIN | POLLPRI | POLLOUT | POLLRDHUP"), unknown.toString());
        if (!poller.supports(EDGE)) {
            assertThrows(UnsupportedOperationException.class, () -> member.modify(POLLIN | EDGE));
        }
        assertEquals(POLLOUT, member.events());
        assertEquals(new Report(member, POLLOUT), Awaits.only(poller));
    }

    @EachMechanism
    void attachReturnsWhatWasAttachedBefore(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Member member = poller.add(lab.datagram(), POLLOUT);
        assertNull(member.attach("first"));
        assertEquals("first", member.attach(2));
        assertEquals(2, member.attachment());
        assertEquals(2, member.attach(null));
        assertNull(member.attachment());
        member.attach("last");
        assertEquals("last", Awaits.only(poller).attachment());
    }

    @EachMechanism
    void ofWhatSeveralThreadsAttachEachIsReturnedOnce(PollerLab lab) throws Exception {
        Member member = lab.poller().add(lab.datagram(), POLLOUT);
        List<Job<Set<Object>>> jobs = new ArrayList<>();
        int rounds = 10_000;
        for (int i = 0; i < 3; i++) {
            int first = i * rounds;
            jobs.add(lab.start(() -> {
                Set<Object> before = new TreeSet<>();
                for (int j = first; j < first + rounds; j++) {
                    Object one = member.attach(j);
                    assertTrue(one == null || before.add(one));
                }
                return before;
            }));
        }
        Set<Object> all = new TreeSet<>();
        for (Job<Set<Object>> job : jobs) {
            for (Object each : job.result()) {
                assertTrue(all.add(each), "returned twice: " + each);
            }
        }
        assertTrue(all.add(member.attachment()));
        assertEquals(3 * rounds, all.size());
    }

    @EachMechanism
    void aRemovedMemberIsRefusedByEverythingButRemove(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Member member = poller.add(lab.datagram(), POLLOUT, "kept");
        member.remove();
        assertThrows(IllegalStateException.class, () -> member.modify(POLLIN));
        assertThrows(IllegalStateException.class, member::enable);
        assertThrows(IllegalStateException.class, member::disable);
        for (int i = 0; i < 3; i++) {
            assertDoesNotThrow(member::remove);
        }
        assertEquals(0, poller.size());
        assertEquals(0, Awaits.poll(poller));
        assertEquals(POLLOUT, member.events());
        assertEquals("kept", member.attach("later"));
        assertEquals("later", member.attachment());
        assertNull(member.refusal());
    }

    @EachMechanism
    void theExceptionNamesTheDescriptorOfARemovedMember(PollerLab lab) throws Exception {
        Member member = lab.poller().add(lab.datagram(), POLLOUT);
        member.remove();
        IllegalStateException thrown = assertThrows(IllegalStateException.class, member::enable);
        assertTrue(thrown.getMessage().contains(Integer.toString(member.descriptor())), thrown.toString());
    }

    @EachMechanism
    void aRemovedMembersHandleDoesNothingToTheOneThatIsThereNow(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        DatagramChannel channel = lab.datagram();
        Member old = poller.add(channel, POLLOUT);
        old.remove();
        Member fresh = poller.add(channel, POLLOUT | ONESHOT);
        assertNotSame(old, fresh);
        old.remove();
        assertThrows(IllegalStateException.class, () -> old.modify(POLLIN));
        assertThrows(IllegalStateException.class, old::disable);
        assertEquals(1, poller.size());
        assertEquals(new Report(fresh, POLLOUT), Awaits.only(poller));
        assertThrows(IllegalStateException.class, old::enable);
        assertEquals(0, Awaits.poll(poller));
    }

    @EachMechanism
    void whenThePollerIsClosedOnlyWhatChangesNothingIsLeft(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Member member = poller.add(lab.datagram(), POLLOUT, "kept");
        poller.close();
        assertThrows(ClosedPollerException.class, () -> member.modify(POLLIN));
        assertThrows(ClosedPollerException.class, member::enable);
        assertThrows(ClosedPollerException.class, member::disable);
        member.remove(); // it is none any more
        assertTrue(member.descriptor() >= 0);
        assertEquals(POLLOUT, member.events());
        assertEquals("kept", member.attach("later"));
        assertNull(member.refusal());
    }

    @EachMechanism
    void itsTextNamesTheEvents(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        Member member = poller.add(lab.datagram(), POLLOUT | ONESHOT, "kept");
        assertEquals("descriptor " + member.descriptor() + " for POLLOUT | ONESHOT, kept", member.toString());
        for (Poller.Ready ready : poller.await(Poller.FOREVER, NANOSECONDS)) {
            assertEquals("POLLOUT of " + member, ready.toString());
        }
        member.modify(0);
        assertEquals("descriptor " + member.descriptor() + " for 0, kept", member.toString());
    }
}
