// SPDX-License-Identifier: Apache-2.0
package dev.pollux.selector;

import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** The view that {@code Selector.selectedKeys} returns: removal, but no addition. */
class SelectedKeysTest {

    private static final int SIZE = 40;

    @EachProvider
    void nothingCanBeAdded(Lab lab) throws Exception {
        Selector selector = ready(lab);
        Set<SelectionKey> selected = selector.selectedKeys();
        SelectionKey member = selected.iterator().next();
        SelectionKey other = lab.datagram().register(selector, OP_READ);
        assertThrows(UnsupportedOperationException.class, () -> selected.add(other));
        assertThrows(UnsupportedOperationException.class, () -> selected.add(member));
        assertThrows(UnsupportedOperationException.class, () -> selected.add(null));
        assertThrows(UnsupportedOperationException.class, () -> selected.addAll(List.of(other)));
        assertThrows(UnsupportedOperationException.class, () -> selected.addAll(List.of()));
        assertEquals(SIZE, selected.size());
    }

    @EachProvider
    void removeTakesOneKeyOutAndTellsWhetherItWasThere(Lab lab) throws Exception {
        Selector selector = ready(lab);
        Set<SelectionKey> selected = selector.selectedKeys();
        for (SelectionKey key : selector.keys()) {
            assertTrue(selected.contains(key));
            assertTrue(selected.remove(key));
            assertFalse(selected.remove(key));
            assertFalse(selected.contains(key));
        }
        assertTrue(selected.isEmpty());
        assertEquals(SIZE, selector.keys().size());
    }

    @EachProvider
    void aRemovedKeyComesBackWhileItIsReady(Lab lab) throws Exception {
        Selector selector = ready(lab);
        SelectionKey key = selector.selectedKeys().iterator().next();
        selector.selectedKeys().remove(key);
        assertEquals(1, selector.select());
        assertTrue(selector.selectedKeys().contains(key));
    }

    @EachProvider
    void clearEmptiesTheSetAndAllComeBack(Lab lab) throws Exception {
        Selector selector = ready(lab);
        selector.selectedKeys().clear();
        assertTrue(selector.selectedKeys().isEmpty());
        assertEquals(SIZE, selector.select());
        assertEquals(selector.keys(), selector.selectedKeys());
    }

    @EachProvider
    void bulkRemovalsWork(Lab lab) throws Exception {
        Selector selector = ready(lab);
        Set<SelectionKey> selected = selector.selectedKeys();
        List<SelectionKey> keys = List.copyOf(selector.keys());
        assertTrue(selected.removeAll(keys.subList(0, 10)));
        assertEquals(new HashSet<>(keys.subList(10, SIZE)), selected);
        assertFalse(selected.removeAll(keys.subList(0, 10)));
        assertTrue(selected.retainAll(keys.subList(0, 30)));
        assertEquals(new HashSet<>(keys.subList(10, 30)), selected);
        assertFalse(selected.retainAll(keys));
        assertTrue(selected.removeIf(key -> keys.indexOf(key) < 20));
        assertEquals(new HashSet<>(keys.subList(20, 30)), selected);
        assertEquals(30, selector.select());
        assertEquals(new HashSet<>(keys), selected);
    }

    @EachProvider
    void aForeignKeyIsNeitherContainedNorRemoved(Lab lab) throws Exception {
        Selector selector = ready(lab);
        Selector another = ready(lab);
        Set<SelectionKey> selected = selector.selectedKeys();
        for (SelectionKey foreign : another.selectedKeys()) {
            assertFalse(selected.contains(foreign));
            assertFalse(selected.remove(foreign));
        }
        assertFalse(selected.contains(null));
        assertFalse(selected.remove(null));
        Object stranger = "not a key at all";
        assertFalse(selected.contains(stranger));
        assertFalse(selected.remove(stranger));
        assertFalse(selected.containsAll(another.selectedKeys()));
        assertEquals(SIZE, selected.size());
        assertEquals(SIZE, another.selectedKeys().size());
    }

    @EachProvider
    void aSelectedKeyOfTheSameChannelInAnotherSelectorIsForeignToo(Lab lab) throws Exception {
        Selector one = lab.selector();
        Selector two = lab.selector();
        var channel = lab.datagram();
        SelectionKey first = channel.register(one, OP_WRITE);
        SelectionKey second = channel.register(two, OP_WRITE);
        assertEquals(1, one.select());
        assertEquals(1, two.select());
        assertFalse(one.selectedKeys().contains(second));
        assertFalse(two.selectedKeys().remove(first));
        assertTrue(one.selectedKeys().contains(first));
    }

    @EachProvider
    void copiesAndStreamsHoldEveryKeyOnce(Lab lab) throws Exception {
        Selector selector = ready(lab);
        Set<SelectionKey> selected = selector.selectedKeys();
        Set<SelectionKey> expected = new HashSet<>(selector.keys());
        assertEquals(expected, new HashSet<>(Arrays.asList(selected.toArray())));
        assertEquals(SIZE, selected.toArray().length);
        assertEquals(expected, new HashSet<>(Arrays.asList(selected.toArray(new SelectionKey[0]))));
        SelectionKey[] longer = selected.toArray(new SelectionKey[SIZE + 5]);
        assertEquals(null, longer[SIZE]);
        assertEquals(expected, selected.stream().collect(Collectors.toSet()));
        assertEquals(SIZE, selected.parallelStream().distinct().count());
        Set<SelectionKey> visited = new HashSet<>();
        selected.forEach(visited::add);
        assertEquals(expected, visited);
    }

    @EachProvider
    void equalsHashCodeAndToStringAreThoseOfASet(Lab lab) throws Exception {
        Selector selector = ready(lab);
        Set<SelectionKey> selected = selector.selectedKeys();
        Set<SelectionKey> copy = new HashSet<>(selected);
        assertEquals(copy, selected);
        assertEquals(selected, copy);
        assertEquals(selected, selected);
        assertEquals(copy.hashCode(), selected.hashCode());
        selected.remove(copy.iterator().next());
        assertNotEquals(copy, selected);
        assertNotEquals(selected, copy);
        assertNotEquals(selected, null);
        selected.retainAll(List.of(selected.iterator().next()));
        assertEquals("[" + selected.iterator().next() + "]", selected.toString());
        selected.clear();
        assertEquals("[]", selected.toString());
        assertEquals(0, selected.hashCode());
        assertEquals(Set.of(), selected);
    }

    @EachProvider
    void cancelledKeysStayUntilTheNextSelectionAndCanBeRemoved(Lab lab) throws Exception {
        Selector selector = ready(lab);
        SelectionKey key = selector.selectedKeys().iterator().next();
        key.cancel();
        assertTrue(selector.selectedKeys().contains(key));
        assertTrue(selector.selectedKeys().remove(key));
        assertEquals(0, selector.selectNow());
        assertEquals(SIZE - 1, selector.selectedKeys().size());
    }

    @EachProvider
    void theSelectedKeysAreAlwaysASubsetOfTheKeys(Lab lab) throws Exception {
        Selector selector = ready(lab);
        List<SelectionKey> keys = List.copyOf(selector.keys());
        for (SelectionKey key : keys.subList(0, SIZE / 2)) {
            key.cancel();
        }
        selector.selectNow();
        assertTrue(selector.keys().containsAll(selector.selectedKeys()));
        assertEquals(new HashSet<>(keys.subList(SIZE / 2, SIZE)), selector.selectedKeys());
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
