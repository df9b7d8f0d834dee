// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.selector;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
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
    private final Refusals refusals = new Refusals();

    RefusalsTest() throws IOException {
        keys = new TestKeys();
    }

    @AfterEach
    void close() throws IOException {
        keys.close();
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
        IOException first = new IOException("first");
        IOException second = new IOException("second");
        refusals.report(first);
        refusals.report(second);
        assertSame(first, assertThrows(IOException.class, refusals::throwPending));
        assertArrayEquals(new Throwable[] {second}, first.getSuppressed());
        refusals.throwPending();
    }
}
