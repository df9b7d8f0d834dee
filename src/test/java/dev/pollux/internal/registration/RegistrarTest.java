// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.registration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.PolluxSelectorProvider;
import dev.pollux.internal.pollset.PollSet;
import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A registration that was left behind is removed, and if that does not help the kernel's object is replaced. */
class RegistrarTest {
    /** A descriptor that is not open: its removal succeeds. */
    private static final int FD = 1_000_000;

    private PollSet pollSet;
    private Registrar registrar;
    private int registered;

    @BeforeEach
    void open() throws IOException {
        new PolluxSelectorProvider().openSelector().close(); // starts up
        pollSet = PollSet.open(null);
        registrar = new Registrar(pollSet) {
            @Override
            protected void registerAll() {
                registered++;
            }
        };
    }

    @AfterEach
    void close() {
        pollSet.close();
    }

    @Test
    void theFirstEventHasItRemoved() {
        registrar.onStaleEvent(FD, 1, false);
        assertFalse(registrar.needsRebuild());
    }

    @Test
    void anEventAfterTheRemovalNeedsARebuild() throws IOException {
        registrar.onStaleEvent(FD, 1, false);
        registrar.onStaleEvent(FD, 2, false);
        assertFalse(registrar.needsRebuild(), "another registration of the same number");
        registrar.onStaleEvent(FD, 1, false);
        assertTrue(registrar.needsRebuild());
        registrar.repair();
        assertEquals(1, registered);
        assertFalse(registrar.needsRebuild());
    }

    @Test
    void aRemovalThatWouldHitAnotherNeedsARebuild() {
        registrar.onStaleEvent(FD, 1, true);
        assertTrue(registrar.needsRebuild());
    }

    @Test
    void aRemovalThatFailedNeedsARebuild() {
        registrar.onFailedRemoval();
        assertTrue(registrar.needsRebuild());
    }
}
