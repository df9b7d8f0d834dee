// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.selector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.internal.pollset.PollSet;
import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import sun.nio.ch.SelectionKeyImpl;

/** Refused keys take turns in being offered again, and each refusal is reported once. */
class RefusalsTest {
    private static final int ENOSPC = 28;
    private static final int ENOMEM = 12;

    private final TestKeys keys;
    private final PollSet pollSet;
    private final Refusals refusals;

    RefusalsTest() throws IOException {
        keys = new TestKeys();
        pollSet = PollSet.open(null);
        refusals = new Refusals(pollSet);
    }

    @AfterEach
    void close() throws IOException {
        keys.close();
        pollSet.close();
    }

    @Test
    void onlyAnotherErrorOrInterestIsNews() {
        SelectionKeyImpl key = keys.newKey();
        assertTrue(refusals.record(key, ENOSPC, PollSet.IN));
        assertFalse(refusals.record(key, ENOSPC, PollSet.IN));
        assertTrue(refusals.record(key, ENOMEM, PollSet.IN));
        assertTrue(refusals.record(key, ENOMEM, PollSet.OUT));
        assertEquals(1, refusals.size());
        refusals.forget(key);
        assertFalse(refusals.contains(key));
        assertTrue(refusals.record(key, ENOMEM, PollSet.OUT), "it was taken in the meantime");
    }

    @Test
    void keysTakeTurns() {
        SelectionKeyImpl[] three = keys.newKeys(3);
        for (SelectionKeyImpl key : three) {
            refusals.record(key, ENOSPC, PollSet.IN);
        }
        for (int i = 0; i < 6; i++) {
            assertSame(three[i % 3], refusals.next());
        }
    }

    @Test
    void aClosedDescriptorIsClosedUntilTheInterestChanges() {
        SelectionKeyImpl key = keys.newKey();
        assertFalse(refusals.isClosed(key, PollSet.IN));
        refusals.record(key, Refusals.CLOSED, PollSet.IN);
        assertTrue(refusals.isClosed(key, PollSet.IN));
        assertFalse(refusals.isClosed(key, PollSet.OUT));
        refusals.record(key, ENOSPC, PollSet.IN);
        assertFalse(refusals.isClosed(key, PollSet.IN));
    }

    @Test
    void whatIsReportedIsThrownOnceAndTogether() throws IOException {
        refusals.throwPending();
        SelectionKeyImpl key = keys.newKey();
        refusals.report(key, ENOSPC, true);
        refusals.report(key, ENOMEM, true);
        refusals.report(key, ENOMEM, false);
        IOException thrown = assertThrows(IOException.class, refusals::throwPending);
        assertTrue(thrown.getMessage().contains("ENOSPC"), thrown.getMessage());
        assertEquals(1, thrown.getSuppressed().length);
        assertTrue(thrown.getSuppressed()[0].getMessage().contains("ENOMEM"));
        refusals.throwPending();
    }
}
