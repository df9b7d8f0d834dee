// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.pollset;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.PolluxSelectorProvider;
import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A registration that was left behind is removed, and if that does not help the kernel's object is replaced. */
class StaleRegistrationsTest {
    /** A descriptor that is not open: its removal succeeds. */
    private static final int FD = 1_000_000;

    private final StaleRegistrations stale = new StaleRegistrations();
    private PollSet pollSet;

    @BeforeEach
    void open() throws IOException {
        new PolluxSelectorProvider().openSelector().close(); // starts up
        pollSet = PollSet.open(null);
    }

    @AfterEach
    void close() {
        pollSet.close();
    }

    @Test
    void theFirstEventHasItRemoved() {
        stale.onEvent(FD, 1, false, pollSet);
        assertFalse(stale.needRebuild());
    }

    @Test
    void anEventAfterTheRemovalNeedsARebuild() {
        stale.onEvent(FD, 1, false, pollSet);
        stale.onEvent(FD, 2, false, pollSet);
        assertFalse(stale.needRebuild(), "another registration of the same number");
        stale.onEvent(FD, 1, false, pollSet);
        assertTrue(stale.needRebuild());
        stale.onRebuilt();
        assertFalse(stale.needRebuild());
    }

    @Test
    void aRemovalThatWouldHitAnotherNeedsARebuild() {
        stale.onEvent(FD, 1, true, pollSet);
        assertTrue(stale.needRebuild());
    }

    @Test
    void aRemovalThatFailedNeedsARebuild() {
        stale.onFailedRemoval();
        assertTrue(stale.needRebuild());
    }
}
