// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.tell;

import static dev.pollux.internal.tell.WarningLog.BURST;
import static dev.pollux.internal.tell.WarningLog.INTERVAL_NANOS;
import static dev.pollux.internal.verdict.Verdict.Kind.REFUSES;
import static dev.pollux.internal.verdict.Verdict.Kind.SPINS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.lab.Warnings;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** However many selectors a program opens and closes, the log stays small. */
class WarningLogTest {
    private Warnings warnings;

    @BeforeEach
    void listen() {
        warnings = new Warnings();
    }

    @AfterEach
    void reset() {
        warnings.close();
        WarningLimit.reset();
    }

    @Test
    void aBurstIsLoggedAndNoMore() {
        for (int i = 0; i < 10 * BURST; i++) {
            WarningLog.of(SPINS).warn("spin " + i, null);
        }
        int logged = warnings.messages().size();
        assertTrue(logged >= BURST && logged <= BURST + 10, logged + " of " + 10 * BURST);
        assertEquals("spin 0", warnings.messages().get(0));
    }

    @Test
    void kindsHaveLimitsOfTheirOwn() {
        for (int i = 0; i < 10 * BURST; i++) {
            WarningLog.of(SPINS).warn("spin", null);
        }
        WarningLog.of(REFUSES).warn("refusal", null);
        assertTrue(warnings.messages().contains("refusal"));
    }

    @Test
    void theNextOneSaysHowManyWereLeftOut() {
        long now = System.nanoTime();
        for (int i = 0; i < BURST; i++) {
            assertEquals(0, WarningLog.of(SPINS).admit(now));
        }
        for (int i = 0; i < 7; i++) {
            assertTrue(WarningLog.of(SPINS).admit(now) < 0);
        }
        assertEquals(7, WarningLog.of(SPINS).admit(now + INTERVAL_NANOS));
        assertTrue(WarningLog.of(SPINS).admit(now + INTERVAL_NANOS) < 0);
        assertEquals(1, WarningLog.of(SPINS).admit(now + 2 * INTERVAL_NANOS));

        WarningLog.of(SPINS).omitted = 3;
        WarningLog.of(SPINS).left = 1;
        WarningLog.of(SPINS).warn("spin", null);
        assertEquals("spin (3 warnings of this kind were left out before this one.)", warnings.messages().get(0));
    }

    @Test
    void inTheLongRunTenAMinuteAreLogged() {
        long now = System.nanoTime();
        int logged = 0;
        for (long millis = 0; millis < TimeUnit.HOURS.toMillis(1); millis += 10) {
            logged += WarningLog.of(SPINS).admit(now + TimeUnit.MILLISECONDS.toNanos(millis)) >= 0 ? 1 : 0;
        }
        assertTrue(logged >= BURST + 590 && logged <= BURST + 610, logged + " in an hour");
    }

    /** After a rest there is room for as many as at first, and no more. */
    @Test
    void aRestFillsItUp() {
        long now = System.nanoTime();
        for (int i = 0; i < 2 * BURST; i++) {
            WarningLog.of(SPINS).admit(now);
        }
        now += TimeUnit.DAYS.toNanos(1);
        for (int i = 0; i < BURST; i++) {
            assertTrue(WarningLog.of(SPINS).admit(now) >= 0);
        }
        assertTrue(WarningLog.of(SPINS).admit(now) < 0);
    }
}
