// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.selector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.internal.pollset.PollSet;
import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import sun.nio.ch.SelectionKeyImpl;

/** One int holds all that is known of a key, and no part of it runs into another. */
class KeyStateTest {
    private static final int ALL = KeyState.EVENTS;

    private final TestKeys keys;
    private final SelectionKeyImpl key;

    KeyStateTest() throws IOException {
        keys = new TestKeys();
        key = keys.newKey();
    }

    @AfterEach
    void close() throws IOException {
        keys.close();
    }

    private int set(int generation, int held, int asked) {
        KeyState.set(key, generation, held, asked);
        return KeyState.of(key);
    }

    @Test
    void aNewKeyIsNotRegistered() {
        assertEquals(0, KeyState.of(key));
    }

    @Test
    void everyCombinationIsKept() {
        for (int generation : new int[] {1, 2, KeyState.LAST_GENERATION}) {
            for (int armed = 0; armed <= ALL; armed++) {
                for (int asked = 0; asked <= ALL; asked++) {
                    check(generation, armed & ALL, asked & ALL, 0);
                    check(generation, armed & ALL, asked & ALL, KeyState.ONE_SHOT);
                }
            }
        }
    }

    private void check(int generation, int armed, int asked, int oneShot) {
        int state = set(generation, armed | oneShot, asked);
        assertNotEquals(0, state, "it is registered");
        assertEquals(generation, KeyState.generation(state));
        assertEquals(armed, KeyState.armed(state));
        assertEquals(asked, KeyState.asked(state));
        assertEquals(armed | oneShot, KeyState.held(state));
        assertEquals(oneShot != 0, KeyState.isOneShot(state));
        assertEquals((armed & ~asked) != 0 && oneShot == 0, KeyState.isDisarmPending(state));
        assertEquals((armed & ~asked) != 0 || oneShot != 0, KeyState.needsFilter(state));
        assertEquals(armed == 0 && oneShot != 0, KeyState.isDisabled(state));
    }

    @Test
    void aOneShotKeyThatWasReportedIsHeldButArmedForNothing() {
        set(7, PollSet.IN | KeyState.ONE_SHOT, PollSet.IN);
        KeyState.disable(key);
        int state = KeyState.of(key);
        assertTrue(KeyState.isDisabled(state));
        assertEquals(0, KeyState.armed(state));
        assertEquals(KeyState.ONE_SHOT, KeyState.held(state));
        assertEquals(PollSet.IN, KeyState.asked(state));
        assertEquals(7, KeyState.generation(state));
    }

    @Test
    void aChangeUnsettlesAKey() {
        set(1, PollSet.IN, PollSet.IN);
        KeyState.settle(key);
        assertNotEquals(0, KeyState.of(key) & KeyState.SETTLED);
        assertFalse(KeyState.needsFilter(KeyState.of(key)));
        set(1, PollSet.IN, PollSet.IN);
        assertEquals(0, KeyState.of(key) & KeyState.SETTLED);
    }

    @Test
    void aKeyThatWasRemovedIsNotRegistered() {
        set(KeyState.LAST_GENERATION, ALL, ALL);
        KeyState.clear(key);
        assertEquals(0, KeyState.of(key));
    }
}
