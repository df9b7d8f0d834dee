// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.selector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.internal.loop.AdaptiveBackoff;
import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whether and for how long a selection polls before it blocks. */
class BusyPollTest {

    @AfterEach
    void clear() {
        System.clearProperty(BusyPoll.PROPERTY);
    }

    private static AdaptiveBackoff configured(String value) throws IOException {
        System.setProperty(BusyPoll.PROPERTY, value);
        return BusyPoll.configured();
    }

    /** How many selections block right away until one may poll again. */
    private static int skipped(AdaptiveBackoff busyPoll) {
        int n = 0;
        while (busyPoll.nanos() == 0) {
            n++;
        }
        return n;
    }

    @Test
    void nobodySpinsWhoIsNotAskedTo() throws IOException {
        assertEquals(0, BusyPoll.configured().nanos());
        assertEquals(0, configured("0").nanos());
    }

    @Test
    void thePropertyIsInMicroseconds() throws IOException {
        assertEquals(Runtime.getRuntime().availableProcessors() > 1 ? 25_000 : 0, configured(" 25 ").nanos());
    }

    @ParameterizedTest
    @ValueSource(strings = {"-1", "ten", "1.5", "99999999999999999999"})
    void aValueThatIsNoNumberOfMicrosecondsIsRefusedByName(String value) {
        IOException thrown = assertThrows(IOException.class, () -> configured(value));
        assertTrue(thrown.getMessage().contains("-Ddev.pollux.busypoll=" + value), thrown.getMessage());
    }

    @Test
    void spinsInVainBecomeRareAndOnesThatPayMakeThemFrequentAgain() throws IOException {
        AdaptiveBackoff busyPoll = configured("10");
        if (busyPoll.nanos() == 0) {
            return; // a single processor never polls first
        }
        for (int penalty = 1; penalty < 1024; penalty *= 2) {
            busyPoll.onAttempt(false);
            assertEquals(penalty, skipped(busyPoll));
        }
        busyPoll.onAttempt(false);
        assertEquals(1024, skipped(busyPoll));
        busyPoll.onAttempt(false);
        assertEquals(1024, skipped(busyPoll), "and no rarer than that");
        for (int i = 0; i < 10; i++) {
            busyPoll.onAttempt(true);
        }
        assertEquals(0, skipped(busyPoll));
        busyPoll.onAttempt(false);
        assertEquals(1, skipped(busyPoll));
    }
}
