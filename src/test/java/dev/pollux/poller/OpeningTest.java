// SPDX-License-Identifier: Apache-2.0
package dev.pollux.poller;

import static dev.pollux.Poller.POLLIN;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.pollux.Poller;
import dev.pollux.lab.Descriptors;
import dev.pollux.lab.Injection;
import java.io.IOException;
import java.util.List;

/** A Poller that was just opened. */
class OpeningTest {

    @EachMechanism
    void aNewPollerIsOpenAndEmpty(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        assertTrue(poller.isOpen());
        assertEquals(0, poller.size());
        for (Form form : Form.values()) {
            assertEquals(0, form.await(poller, 0));
        }
    }

    @EachMechanism
    void aPollerRunsOnTheMechanismThatWasAskedFor(PollerLab lab) throws Exception {
        assertEquals(lab.mechanism(), lab.poller().mechanism());
    }

    @EachMechanism
    void theTwoWaysOfOpeningWithoutANameAgree(PollerLab lab) throws Exception {
        Poller plain = lab.opened(new Poller());
        assertEquals(plain.mechanism(), lab.opened(Poller.open(null, 10)).mechanism());
        assertFalse(plain.mechanism().isEmpty());
        plain.add(lab.fedPipe().source(), POLLIN);
        assertEquals(1, Awaits.poll(plain));
    }

    @EachMechanism
    void aMechanismThatDoesNotExistIsRefusedByItsName(PollerLab lab) throws Exception {
        IOException thrown = assertThrows(IOException.class, () -> Poller.open("telepathy", 10));
        assertTrue(thrown.getMessage().contains("telepathy"), thrown.toString());
    }

    /** As in a sandbox, whose operator is told of a way round it. */
    @EachMechanism
    void aMechanismThatTheSystemForbidsNamesOneThatDoesWithoutItsCalls(PollerLab lab) throws Exception {
        assumeTrue(lab.isEPoll(), "only epoll has system calls of its own here");
        for (String call : List.of("epoll_create1", "epoll_ctl")) {
            for (String error : List.of("EPERM", "ENOSYS")) {
                try (Injection faults = Injection.failing(call, error)) {
                    IOException thrown = assertThrows(IOException.class, () -> Poller.open("epoll", 10));
                    assertTrue(thrown.getMessage().contains(error), thrown.toString());
                    assertTrue(thrown.getMessage().contains("name dev.pollux.PollSelectorProvider"), thrown.toString());
                    assertFalse(faults.calls().isEmpty());
                }
            }
        }
    }

    @EachMechanism
    void aWaitThatTheSystemForbidsNamesAMechanismThatDoesWithout(PollerLab lab) throws Exception {
        assumeTrue(lab.isEPoll(), "only epoll has system calls of its own here");
        Poller poller = lab.poller();
        poller.add(lab.fedPipe().source(), POLLIN);
        try (Injection faults = Injection.failing("epoll_wait,epoll_pwait,epoll_pwait2", "EPERM")) {
            IOException thrown = assertThrows(IOException.class, () -> Awaits.poll(poller));
            assertTrue(thrown.getMessage().contains("name dev.pollux.PollSelectorProvider"), thrown.toString());
            assertFalse(faults.calls().isEmpty());
        }
    }

    @EachMechanism
    void aLimitOfDescriptorsIsNoReasonForAnotherMechanism(PollerLab lab) throws Exception {
        assumeTrue(lab.isEPoll(), "only epoll has system calls of its own here");
        try (Injection faults = Injection.failing("epoll_create1", "EMFILE")) {
            IOException thrown = assertThrows(IOException.class, () -> Poller.open("epoll", 10));
            assertTrue(thrown.getMessage().contains("ulimit -n"), thrown.toString());
            assertFalse(thrown.getMessage().contains("PollSelectorProvider"), thrown.toString());
            assertFalse(faults.calls().isEmpty());
        }
    }

    @EachMechanism
    void aPollerKnowsItsCapacity(PollerLab lab) throws Exception {
        assertEquals(7, lab.poller(7).capacity());
        assertTrue(lab.opened(new Poller()).capacity() >= 1 << 20);
    }

    @EachMechanism
    void aNegativeCapacityIsRefused(PollerLab lab) throws Exception {
        assertThrows(IllegalArgumentException.class, () -> Poller.open(lab.mechanism(), -1));
    }

    @EachMechanism
    void readingAndWritingIsSupportedOnceOrAlways(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        assertTrue(poller.supports(Poller.POLLIN | Poller.POLLOUT));
        assertTrue(poller.supports(Poller.POLLIN | Poller.ONESHOT));
    }

    @EachMechanism
    void whatIsNoEventIsNotSupported(PollerLab lab) throws Exception {
        Poller poller = lab.poller();
        assertFalse(poller.supports(1 << 7));
        assertFalse(poller.supports(POLLIN | 1 << 15));
        assertFalse(poller.supports(Integer.MIN_VALUE));
    }

    @EachMechanism
    void aThousandPollersCanBeOpenedAndClosedWithoutALeak(PollerLab lab) throws Exception {
        int before = Descriptors.count();
        for (int i = 0; i < 1000; i++) {
            Poller.open(lab.mechanism(), 10).close();
        }
        assertTrue(Descriptors.count() <= before, "descriptors: " + Descriptors.open());
    }

    @EachMechanism
    void everyDescriptorOfAPollerIsClosedOnExec(PollerLab lab) throws Exception {
        List<String> before = Descriptors.open();
        lab.poller();
        List<String> fresh = Descriptors.more(before, Descriptors.open());
        for (String entry : fresh) {
            assertFalse(Descriptors.isInherited(entry), entry);
        }
        assertTrue(!fresh.isEmpty(), "a Poller has descriptors");
    }
}
