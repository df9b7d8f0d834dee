// SPDX-License-Identifier: Apache-2.0
package dev.pollux.poller;

import static dev.pollux.Poller.POLLIN;
import static dev.pollux.Poller.POLLNVAL;
import static dev.pollux.Poller.POLLOUT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.pollux.Poller;
import dev.pollux.Poller.Member;
import dev.pollux.lab.Descriptors;
import dev.pollux.lab.Garbage;
import dev.pollux.lab.Job;
import java.io.IOException;
import java.nio.channels.DatagramChannel;
import java.util.List;

/** Numbers that are no descriptors. */
class NoDescriptorTest {

    private static final int[] LARGE = {1_000_003, 1 << 24, 1 << 30, Integer.MAX_VALUE};

    /** What an exception with its stack takes, many times over; a table for such numbers takes megabytes. */
    private static final long LITTLE = 1 << 18;

    @EachMechanism
    void aNegativeNumberIsRefused(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        for (int number : new int[] {-1, -2, Integer.MIN_VALUE}) {
            assertThrows(IllegalArgumentException.class, () -> poller.add(number, POLLIN));
        }
        assertEquals(0, poller.size());
        assertEquals(0, Awaits.poll(poller));
    }

    @EachMechanism
    void aLargeNumberThatIsNotOpenIsRefusedAndTakesNoMemory(PollerLab lab) throws Exception {
        PollerLab.needsUnix();
        Poller poller = lab.poller();
        assertRefused(poller, 1_000_004); // loads classes
        for (int number : LARGE) {
            long bytes = Garbage.bytesOf(() -> assertRefused(poller, number));
            assertTrue(bytes < LITTLE, number + " took " + bytes + " bytes");
        }
        assertEquals(0, poller.size());
        Awaits.assertSleeps(poller);
    }

    @EachMechanism
    void aLargeNumberThatIsNotOpenIsRefusedWhileAnotherThreadAwaits(PollerLab lab) throws Exception {
        PollerLab.needsUnix();
        Poller poller = lab.poller();
        poller.add(lab.pipe().source(), POLLIN);
        Job<List<Report>> job = lab.start(() -> Form.HANDLER.reports(poller, Awaits.FOR_EVER));
        job.awaitSelecting();
        assertRefused(poller, 1_000_004);
        for (int number : LARGE) {
            long bytes = Garbage.bytesOf(() -> assertRefused(poller, number), job.thread());
            assertTrue(bytes < LITTLE, number + " took " + bytes + " bytes");
        }
        assertEquals(1, poller.size());
        Awaits.assertGoesOn(job);
        Member member = poller.add(lab.fedPipe().source(), POLLIN);
        assertEquals(List.of(new Report(member, POLLIN)), job.result());
    }

    @EachMechanism
    void aNumberThatIsNoLongerOpenIsRefusedOrReportedOnce(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        int number = closedNumber(lab, poller);
        Member member;
        try {
            member = poller.add(number, POLLIN);
        } catch (IOException e) {
            assertNames(e, number);
            assertEquals(0, poller.size());
            Awaits.assertSleeps(poller);
            return;
        }
        assertEquals(new Report(member, POLLNVAL), Awaits.only(poller));
        assertNames(member.refusal(), number);
        Awaits.assertSleeps(poller);
    }

    /** On epoll it is refused at once; elsewhere the thread that waits makes the change, and reports the refusal. */
    @EachMechanism
    void aRefusalThatComesLaterNamesCallDescriptorAndError(PollerLab lab) throws Exception {
        PollerLab.needsUnix();
        Poller poller = lab.poller();
        int number = closedNumber(lab, poller);
        Job<List<Report>> job = lab.start(() -> Form.HANDLER.reports(poller, Awaits.FOR_EVER));
        job.awaitSelecting();
        IOException refusal;
        if (lab.isEPoll()) {
            refusal = assertThrows(IOException.class, () -> poller.add(number, POLLIN));
            poller.wakeup();
            assertEquals(List.of(), job.result());
        } else {
            Member member = poller.add(number, POLLIN);
            assertEquals(List.of(new Report(member, POLLNVAL)), job.result());
            refusal = member.refusal();
        }
        assertNames(refusal, number);
        assertTrue(refusal.getMessage().contains(lab.callInMessages()), refusal.getMessage());
        assertTrue(refusal.getMessage().contains("EBADF"), refusal.getMessage());
        Awaits.assertSleeps(poller);
    }

    @EachMechanism
    void aRefusalIsForgottenWhenTheMemberCanBeWatchedAgain(PollerLab lab) throws Exception {
        assumeTrue(lab.tellsOfClosing(), "the system forgets it without a word");
        Poller poller = lab.poller();
        DatagramChannel old = lab.withHighNumber(lab::datagram);
        Member member = poller.add(Descriptors.numberOf(old), POLLIN);
        old.close();
        assertEquals(new Report(member, POLLNVAL), Awaits.only(poller));
        assertNames(member.refusal(), member.descriptor());
        lab.datagramWithNumber(member.descriptor());
        member.modify(POLLOUT);
        assertEquals(new Report(member, POLLOUT), Awaits.only(poller));
        assertNull(member.refusal());
    }

    /** A number for which the Poller has room, since its owner was a member. */
    private static int closedNumber(PollerLab lab, Poller poller) throws Exception {
        DatagramChannel channel = lab.withHighNumber(lab::datagram);
        Member member = poller.add(channel, POLLIN);
        member.remove();
        channel.close();
        return member.descriptor();
    }

    private static void assertRefused(Poller poller, int number) {
        assertNames(assertThrows(IOException.class, () -> poller.add(number, POLLIN)), number);
        assertFalse(poller.isMember(number));
    }

    private static void assertNames(IOException thrown, int number) {
        assertTrue(thrown.getMessage().contains(Integer.toString(number)), thrown.toString());
    }
}
