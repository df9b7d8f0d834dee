// SPDX-License-Identifier: Apache-2.0
package dev.pollux.selector;

import java.nio.channels.SelectionKey;
import java.util.AbstractSet;
import java.util.Arrays;
import java.util.Iterator;
import java.util.NoSuchElementException;

/** The set that event loops put into a selector in place of its own: an array that is only added to and reset. */
final class ArrayKeySet extends AbstractSet<SelectionKey> {

    private SelectionKey[] keys = new SelectionKey[16];
    private int size;
    private int searches;

    /** How often somebody asked whether a key is in the set, which takes longer the more there are. */
    int searches() {
        return searches;
    }

    SelectionKey get(int index) {
        return keys[index];
    }

    void reset() {
        Arrays.fill(keys, 0, size, null);
        size = 0;
    }

    @Override
    public boolean add(SelectionKey key) {
        if (size == keys.length) {
            keys = Arrays.copyOf(keys, size * 2);
        }
        keys[size++] = key;
        return true;
    }

    @Override
    public boolean remove(Object key) {
        return false;
    }

    @Override
    public boolean contains(Object key) {
        searches++;
        return Arrays.asList(keys).subList(0, size).contains(key);
    }

    @Override
    public int size() {
        return size;
    }

    @Override
    public Iterator<SelectionKey> iterator() {
        return new Iterator<>() {
            private int next;

            @Override
            public boolean hasNext() {
                return next < size;
            }

            @Override
            public SelectionKey next() {
                if (next >= size) {
                    throw new NoSuchElementException();
                }
                return keys[next++];
            }
        };
    }
}
