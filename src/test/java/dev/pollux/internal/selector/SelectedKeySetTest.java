// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.selector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.util.ArrayList;
import java.util.ConcurrentModificationException;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import sun.nio.ch.SelectionKeyImpl;

/** An array with gaps that behaves as a hash set does, in the order of addition. */
class SelectedKeySetTest {
    private final TestKeys keys;
    private final SelectedKeySet set = new SelectedKeySet();

    SelectedKeySetTest() throws IOException {
        keys = new TestKeys();
    }

    @AfterEach
    void close() throws IOException {
        keys.close();
    }

    @Test
    void tenThousandRandomStepsLeaveItAsTheyLeaveAHashSet() {
        Random random = new Random(1);
        SelectionKeyImpl[] pool = keys.newKeys(60);
        Set<SelectionKey> expected = new LinkedHashSet<>();
        for (int step = 0; step < 10_000; step++) {
            SelectionKeyImpl key = pool[random.nextInt(pool.length)];
            switch (random.nextInt(8)) {
                case 0, 1, 2 -> assertEquals(expected.add(key), set.add(key));
                case 3, 4 -> assertEquals(expected.remove(key), set.remove(key));
                case 5 -> assertEquals(expected.contains(key), set.contains((Object) key));
                case 6 -> removeEverySecond(expected, set);
                default -> clearSometimes(random, expected);
            }
            assertEquals(new ArrayList<>(expected), new ArrayList<>(set));
            assertEquals(expected.size(), set.size());
        }
    }

    private static void removeEverySecond(Set<SelectionKey> expected, Set<SelectionKey> actual) {
        for (Set<SelectionKey> each : List.of(expected, actual)) {
            int i = 0;
            for (Iterator<SelectionKey> iterator = each.iterator(); iterator.hasNext(); i++) {
                iterator.next();
                if (i % 2 == 0) {
                    iterator.remove();
                }
            }
        }
    }

    private void clearSometimes(Random random, Set<SelectionKey> expected) {
        if (random.nextInt(20) == 0) {
            expected.clear();
            set.clear();
        }
    }

    @Test
    void aKeyOfAnotherSetAtTheSamePlaceIsNotContained() {
        SelectionKeyImpl[] two = keys.newKeys(2);
        set.add(two[0]);
        SelectedKeySet other = new SelectedKeySet();
        other.add(two[1]);
        Object noKey = "no key at all";
        assertFalse(set.contains((Object) two[1]));
        assertFalse(set.remove(two[1]));
        assertTrue(other.contains((Object) two[1]));
        assertFalse(set.contains(noKey));
    }

    @Test
    void anIteratorFailsFast() {
        set.add(keys.newKey());
        Iterator<SelectionKey> iterator = set.iterator();
        set.add(keys.newKey());
        assertThrows(ConcurrentModificationException.class, iterator::next);
    }

    @Test
    void anIteratorEndsAndRemovesEachKeyOnce() {
        set.add(keys.newKey());
        Iterator<SelectionKey> iterator = set.iterator();
        assertThrows(IllegalStateException.class, iterator::remove);
        iterator.next();
        iterator.remove();
        assertThrows(IllegalStateException.class, iterator::remove);
        assertThrows(NoSuchElementException.class, iterator::next);
        assertTrue(set.isEmpty());
    }

    @Test
    void thePublicViewAllowsRemovalButNoAddition() {
        SelectionKeyImpl key = keys.newKey();
        set.add(key);
        assertThrows(UnsupportedOperationException.class, () -> set.view.add(key));
        assertThrows(UnsupportedOperationException.class, () -> set.view.addAll(List.of()));
        assertTrue(set.view.remove(key));
        assertTrue(set.isEmpty());
    }
}
