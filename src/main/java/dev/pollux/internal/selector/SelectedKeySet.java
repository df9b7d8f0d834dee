// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.selector;

import dev.pollux.internal.jdk.SelectionKeyFields;
import java.nio.channels.SelectionKey;
import java.util.AbstractSet;
import java.util.Arrays;
import java.util.Collection;
import java.util.ConcurrentModificationException;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Set;
import sun.nio.ch.SelectionKeyImpl;

/**
 * The selected keys, in the order in which they became ready: an array with gaps. Each key knows its place ({@code
 * index} of the key, never cleared: it counts only if the array agrees), so looking up, adding and removing hash
 * nothing. Behaves as a {@code HashSet} does: iterators are fail-fast, a foreign key or object is simply not
 * contained. Not thread-safe, as the specification has it: the caller holds the lock of the {@link #view}. Adding,
 * removing and looking up allocate nothing, except to grow.
 */
final class SelectedKeySet extends AbstractSet<SelectionKey> {
    private static final int FIRST_CAPACITY = 16;

    private SelectionKeyImpl[] elements = KeyTable.NO_KEYS;

    /** Elements are in [head, tail), with gaps where keys were removed. */
    private int head;
    private int tail;
    private int size;
    private int modifications;

    /** What callers of {@code selectedKeys()} get: removal but no addition. */
    final Set<SelectionKey> view = new View();

    boolean contains(SelectionKeyImpl key) {
        int i = SelectionKeyFields.index(key);
        return i < tail && elements[i] == key;
    }

    @Override
    public boolean contains(Object o) {
        return o instanceof SelectionKeyImpl key && contains(key);
    }

    /** Adds a key that is not in the set. */
    void append(SelectionKeyImpl key) {
        if (tail == elements.length) {
            makeRoom();
        }
        SelectionKeyFields.index(key, tail);
        elements[tail++] = key;
        size++;
        modifications++;
    }

    @Override
    public boolean add(SelectionKey key) {
        if (contains(key)) {
            return false;
        }
        append((SelectionKeyImpl) key);
        return true;
    }

    /** Closes the gaps if they are more than half of the array, else doubles it. */
    private void makeRoom() {
        int capacity = Math.max(elements.length * 2, FIRST_CAPACITY);
        SelectionKeyImpl[] target = size < elements.length / 2 ? elements : new SelectionKeyImpl[capacity];
        int n = 0;
        for (int i = head; i < tail; i++) {
            SelectionKeyImpl key = elements[i];
            if (key != null) {
                SelectionKeyFields.index(key, n);
                target[n++] = key;
            }
        }
        if (target == elements) {
            Arrays.fill(elements, n, tail, null);
        }
        elements = target;
        head = 0;
        tail = n;
    }

    @Override
    public boolean remove(Object o) {
        if (!contains(o)) {
            return false;
        }
        removeAt(SelectionKeyFields.index((SelectionKeyImpl) o));
        return true;
    }

    private void removeAt(int i) {
        elements[i] = null;
        modifications++;
        if (--size == 0) {
            head = tail = 0;
        } else if (i == head) {
            head++;
        }
    }

    @Override
    public void clear() {
        Arrays.fill(elements, head, tail, null);
        head = tail = size = 0;
        modifications++;
    }

    @Override
    public int size() {
        return size;
    }

    @Override
    public Iterator<SelectionKey> iterator() {
        return new KeyIterator();
    }

    /** Fail-fast; small enough for the compiler to keep it out of the heap. */
    private final class KeyIterator implements Iterator<SelectionKey> {
        private int expected = modifications;
        private int next = head - 1;
        private int last = -1;
        private SelectionKeyImpl nextKey;

        KeyIterator() {
            advance();
        }

        private void advance() {
            int i = next + 1;
            while (i < tail && elements[i] == null) {
                i++;
            }
            nextKey = i < tail ? elements[i] : null;
            next = i;
        }

        @Override
        public boolean hasNext() {
            return nextKey != null;
        }

        @Override
        public SelectionKey next() {
            checkUnmodified();
            SelectionKeyImpl key = nextKey;
            if (key == null) {
                throw new NoSuchElementException();
            }
            last = next;
            advance();
            return key;
        }

        @Override
        public void remove() {
            if (last < 0) {
                throw new IllegalStateException();
            }
            checkUnmodified();
            removeAt(last);
            last = -1;
            expected = modifications;
        }

        private void checkUnmodified() {
            if (expected != modifications) {
                throw new ConcurrentModificationException();
            }
        }
    }

    final class View extends AbstractSet<SelectionKey> {
        @Override
        public Iterator<SelectionKey> iterator() {
            return new KeyIterator();
        }

        @Override
        public int size() {
            return size;
        }

        @Override
        public boolean contains(Object o) {
            return SelectedKeySet.this.contains(o);
        }

        @Override
        public boolean remove(Object o) {
            return SelectedKeySet.this.remove(o);
        }

        @Override
        public void clear() {
            SelectedKeySet.this.clear();
        }

        // add is inherited: it throws before anything casts its argument.

        @Override
        public boolean addAll(Collection<? extends SelectionKey> keys) {
            throw new UnsupportedOperationException();
        }
    }
}
