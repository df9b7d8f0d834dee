// SPDX-License-Identifier: Apache-2.0
package dev.pollux.poller;

import static dev.pollux.Poller.POLLIN;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.Poller;
import java.io.IOException;

/** A Poller that was just opened. */
class OpeningTest {

    @EachMechanism
    void aNewPollerHasNoMembers(PollerLab lab) throws Exception {
        assertEquals(0, lab.poller().size());
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
}
