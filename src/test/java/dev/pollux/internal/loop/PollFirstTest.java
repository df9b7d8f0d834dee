// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** A wait polls first as long as that finds events, and seldom if it does not. */
class PollFirstTest {
    private final PollFirst pollFirst = new PollFirst();

    /** How many waits block right away until one polls first. */
    private int waitsUntilPoll() {
        int n = 0;
        while (!pollFirst.isWorthwhile()) {
            n++;
        }
        return n;
    }

    @Test
    void theFirstWaitsBlockRightAway() {
        assertEquals(64, waitsUntilPoll());
    }

    @Test
    void aPollThatFindsSomethingIsFollowedByAnother() {
        waitsUntilPoll();
        for (int i = 0; i < 1000; i++) {
            assertTrue(pollFirst.isWorthwhile());
        }
    }

    @Test
    void pollsInVainBecomeRareUpToALimit() {
        waitsUntilPoll();
        for (int expected : new int[] {128, 256, 512, 1024, 1024}) {
            pollFirst.failed();
            assertEquals(expected, waitsUntilPoll());
        }
    }

    @Test
    void aPollInVainAfterOneThatFoundSomethingCostsTheLeast() {
        waitsUntilPoll();
        pollFirst.failed();
        waitsUntilPoll();
        pollFirst.isWorthwhile();
        pollFirst.failed();
        assertEquals(64, waitsUntilPoll());
    }
}
