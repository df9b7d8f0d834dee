// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.selector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** Keys are armed for one event while that spares system calls. */
class OtherWayTest {
    private final OtherWay policy = new OtherWay(true);

    /** How many of 96 armings are for one event. */
    private static int oneShots(OtherWay policy) {
        int n = 0;
        for (int i = 0; i < 96; i++) {
            n += policy.isWorthwhile() ? 1 : 0;
        }
        return n;
    }

    @Test
    void atFirstKeysAreArmedLazily() {
        assertEquals(0, oneShots(policy));
    }

    @Test
    void anEventThatCameInVainSpeaksForOneShot() {
        policy.wouldSucceed();
        assertTrue(policy.isWorthwhile());
    }

    @Test
    void aFewArmingsFindOutWhetherLazinessPaysAgain() {
        policy.wouldSucceed();
        assertEquals(90, oneShots(policy), "all but one in 16");
    }

    @Test
    void twoSuccessesOfLazinessWeighAsMuchAsOneFailure() {
        policy.wouldSucceed();
        policy.wouldFail();
        assertTrue(policy.isWorthwhile());
        policy.wouldFail();
        assertFalse(policy.isWorthwhile());
    }

    @Test
    void whatWasLongAgoCountsForLittle() {
        for (int i = 0; i < 1000; i++) {
            policy.wouldFail();
        }
        for (int i = 0; i < 33; i++) {
            policy.wouldSucceed();
        }
        assertTrue(policy.isWorthwhile());
        for (int i = 0; i < 1000; i++) {
            policy.wouldSucceed();
        }
        for (int i = 0; i < 64; i++) {
            policy.wouldFail();
        }
        assertFalse(policy.isWorthwhile());
    }

    @Test
    void aMechanismWithoutOneShotEventsIsNeverAskedForThem() {
        OtherWay none = new OtherWay(false);
        none.wouldSucceed();
        assertEquals(0, oneShots(none));
    }
}
