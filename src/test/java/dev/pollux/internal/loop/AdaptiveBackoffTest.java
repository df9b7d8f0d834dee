// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

/** A way of waiting that costs more is tried as long as it pays. */
class AdaptiveBackoffTest {
    private final AdaptiveBackoff backoff = new AdaptiveBackoff(10);

    /** How many waits do without until one may try again. */
    private int skipped() {
        int n = 0;
        while (backoff.nanos() == 0) {
            n++;
        }
        return n;
    }

    @Test
    void withoutTimeNothingIsTried() {
        assertEquals(0, new AdaptiveBackoff(0).nanos());
    }

    @Test
    void atFirstItIsTried() {
        assertEquals(10, backoff.nanos());
    }

    @Test
    void eachAttemptInVainDoublesTheWaitsThatDoWithoutUpToALimit() {
        for (int expected = 1; expected <= 1024; expected *= 2) {
            backoff.onAttempt(false);
            assertEquals(expected, skipped());
        }
        backoff.onAttempt(false);
        assertEquals(1024, skipped());
    }

    @Test
    void eachAttemptThatPaidHalvesThem() {
        for (int i = 0; i < 5; i++) {
            backoff.onAttempt(false);
            skipped();
        }
        backoff.onAttempt(true);
        backoff.onAttempt(true);
        backoff.onAttempt(false);
        assertEquals(8, skipped());
    }
}
