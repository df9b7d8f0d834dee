// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.bench;

import java.nio.channels.SelectionKey;
import java.util.AbstractSet;
import java.util.Arrays;
import java.util.Iterator;

/**
 * A key set with the behaviour of the one that Netty injects: appends without looking for
 * duplicates, never removes, searches linearly, and is emptied by its owner after each loop.
 * Not thread-safe. Allocates only when it grows.
 */
final class ArrayKeySet extends AbstractSet<SelectionKey> {
    private SelectionKey[] keys = new SelectionKey[1024];
    private int size;

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
            keys = Arrays.copyOf(keys, 2 * size);
        }
        keys[size++] = key;
        return true;
    }

    @Override
    public boolean contains(Object key) {
        for (int i = 0; i < size; i++) {
            if (keys[i].equals(key)) {
                return true;
            }
        }
        return false;
    }

    @Override
    public boolean remove(Object key) {
        return false;
    }

    @Override
    public Iterator<SelectionKey> iterator() {
        return Arrays.asList(keys).subList(0, size).iterator();
    }

    @Override
    public int size() {
        return size;
    }
}
