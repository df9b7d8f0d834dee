// SPDX-License-Identifier: Apache-2.0
package dev.pollux.selector;

import static java.nio.channels.SelectionKey.OP_WRITE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ConcurrentModificationException;
import java.util.HashSet;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Set;

/** Iterators of the selected-key set. */
class SelectedKeysIteratorTest {

    private static final int SIZE = 25;

    @EachProvider
    void anIteratorVisitsEveryKeyOnceThenEnds(Lab lab) throws Exception {
        Selector selector = ready(lab);
        Set<SelectionKey> visited = new HashSet<>();
        Iterator<SelectionKey> iterator = selector.selectedKeys().iterator();
        while (iterator.hasNext()) {
            assertTrue(visited.add(iterator.next()));
        }
        assertEquals(selector.keys(), visited);
        assertThrows(NoSuchElementException.class, iterator::next);
        assertFalse(iterator.hasNext());
    }

    @EachProvider
    void nextWorksWithoutHasNext(Lab lab) throws Exception {
        Iterator<SelectionKey> iterator = ready(lab).selectedKeys().iterator();
        for (int i = 0; i < SIZE; i++) {
            iterator.next();
        }
        assertThrows(NoSuchElementException.class, iterator::next);
    }

    @EachProvider
    void removingWhileIteratingVisitsEveryKeyAndEmptiesTheSet(Lab lab) throws Exception {
        Selector selector = ready(lab);
        Set<SelectionKey> visited = new HashSet<>();
        for (Iterator<SelectionKey> i = selector.selectedKeys().iterator(); i.hasNext();) {
            SelectionKey key = i.next();
            i.remove();
            assertTrue(visited.add(key));
            assertFalse(selector.selectedKeys().contains(key));
        }
        assertEquals(selector.keys(), visited);
        assertTrue(selector.selectedKeys().isEmpty());
        assertEquals(SIZE, selector.select());
    }

    @EachProvider
    void removingEverySecondKeyVisitsEveryKey(Lab lab) throws Exception {
        Selector selector = ready(lab);
        Set<SelectionKey> visited = new HashSet<>();
        Set<SelectionKey> kept = new HashSet<>();
        for (Iterator<SelectionKey> i = selector.selectedKeys().iterator(); i.hasNext();) {
            SelectionKey key = i.next();
            visited.add(key);
            if (visited.size() % 2 == 0) {
                i.remove();
            } else {
                kept.add(key);
            }
        }
        assertEquals(selector.keys(), visited);
        assertEquals(kept, selector.selectedKeys());
    }

    @EachProvider
    void removeNeedsANextBeforeIt(Lab lab) throws Exception {
        Selector selector = ready(lab);
        Iterator<SelectionKey> iterator = selector.selectedKeys().iterator();
        assertThrows(IllegalStateException.class, iterator::remove);
        iterator.next();
        iterator.remove();
        assertThrows(IllegalStateException.class, iterator::remove);
        assertEquals(SIZE - 1, selector.selectedKeys().size());
    }

    @EachProvider
    void anIteratorFailsFastAfterARemovalFromTheSet(Lab lab) throws Exception {
        Selector selector = ready(lab);
        Set<SelectionKey> selected = selector.selectedKeys();
        Iterator<SelectionKey> iterator = selected.iterator();
        SelectionKey first = iterator.next();
        selected.remove(first);
        assertThrows(ConcurrentModificationException.class, iterator::next);
        assertThrows(ConcurrentModificationException.class, iterator::remove);
    }

    @EachProvider
    void anIteratorFailsFastAfterClear(Lab lab) throws Exception {
        Selector selector = ready(lab);
        Iterator<SelectionKey> iterator = selector.selectedKeys().iterator();
        iterator.next();
        selector.selectedKeys().clear();
        assertThrows(ConcurrentModificationException.class, iterator::next);
    }

    @EachProvider
    void anIteratorFailsFastAfterASelectionThatAddedKeys(Lab lab) throws Exception {
        Selector selector = ready(lab);
        Iterator<SelectionKey> iterator = selector.selectedKeys().iterator();
        iterator.next();
        lab.datagram().register(selector, OP_WRITE);
        assertEquals(1, selector.select());
        assertThrows(ConcurrentModificationException.class, iterator::next);
    }

    @EachProvider
    void anIteratorFailsFastAfterAnotherIteratorRemoved(Lab lab) throws Exception {
        Selector selector = ready(lab);
        Iterator<SelectionKey> one = selector.selectedKeys().iterator();
        Iterator<SelectionKey> two = selector.selectedKeys().iterator();
        one.next();
        two.next();
        two.remove();
        assertThrows(ConcurrentModificationException.class, one::next);
        two.next();
    }

    @EachProvider
    void aSelectionThatChangesNothingLeavesAnIteratorUsable(Lab lab) throws Exception {
        Selector selector = ready(lab);
        Iterator<SelectionKey> iterator = selector.selectedKeys().iterator();
        iterator.next();
        assertEquals(0, selector.selectNow());
        iterator.next();
        iterator.remove();
    }

    @EachProvider
    void theSetCanBeIteratedTwiceAndThenCleared(Lab lab) throws Exception {
        Selector selector = ready(lab);
        Set<SelectionKey> first = new HashSet<>();
        Set<SelectionKey> second = new HashSet<>();
        for (SelectionKey key : selector.selectedKeys()) {
            first.add(key);
        }
        for (SelectionKey key : selector.selectedKeys()) {
            second.add(key);
        }
        selector.selectedKeys().clear();
        assertEquals(first, second);
        assertEquals(SIZE, first.size());
        assertEquals(SIZE, selector.select());
    }

    @EachProvider
    void forEachRemainingVisitsTheRest(Lab lab) throws Exception {
        Selector selector = ready(lab);
        Iterator<SelectionKey> iterator = selector.selectedKeys().iterator();
        Set<SelectionKey> visited = new HashSet<>();
        visited.add(iterator.next());
        iterator.forEachRemaining(visited::add);
        assertEquals(selector.keys(), visited);
    }

    /** A selector whose keys are all ready for writing, and selected. */
    private static Selector ready(Lab lab) throws Exception {
        Selector selector = lab.selector();
        for (int i = 0; i < SIZE; i++) {
            lab.datagram().register(selector, OP_WRITE);
        }
        assertEquals(SIZE, selector.select());
        return selector;
    }
}
