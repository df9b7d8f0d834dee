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
class SpinTest {

    @AfterEach
    void clear() {
        System.clearProperty(Spin.PROPERTY);
    }

    private static AdaptiveBackoff configured(String value) throws IOException {
        System.setProperty(Spin.PROPERTY, value);
        return Spin.configured();
    }

    /** How many selections block right away until one may spin again. */
    private static int skipped(AdaptiveBackoff spin) {
        int n = 0;
        while (spin.nanos() == 0) {
            n++;
        }
        return n;
    }

    @Test
    void nobodySpinsWhoIsNotAskedTo() throws IOException {
        assertEquals(0, Spin.configured().nanos());
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
        assertTrue(thrown.getMessage().contains("-Ddev.pollux.spin=" + value), thrown.getMessage());
    }

    @Test
    void spinsInVainBecomeRareAndOnesThatPayMakeThemFrequentAgain() throws IOException {
        AdaptiveBackoff spin = configured("10");
        if (spin.nanos() == 0) {
            return; // a single processor never spins
        }
        for (int penalty = 1; penalty < 1024; penalty *= 2) {
            spin.failed();
            assertEquals(penalty, skipped(spin));
        }
        spin.failed();
        assertEquals(1024, skipped(spin));
        spin.failed();
        assertEquals(1024, skipped(spin), "and no rarer than that");
        for (int i = 0; i < 10; i++) {
            spin.succeeded();
        }
        assertEquals(0, skipped(spin));
        spin.failed();
        assertEquals(1, skipped(spin));
    }
}
