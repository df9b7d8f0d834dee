// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.selector;

import java.util.Arrays;
import sun.nio.ch.SelChImpl;
import sun.nio.ch.SelectionKeyImpl;

/**
 * The registered keys by descriptor: what an event is for. Guarded by the selector's lock. Allocates to grow: four
 * bytes for each descriptor number.
 */
final class KeyTable {
    private static final int FIRST_CAPACITY = 64;

    /** What an array of keys is that nothing was put into yet: most selectors of some programs are never used. */
    static final SelectionKeyImpl[] NO_KEYS = {};

    private SelectionKeyImpl[] keys = NO_KEYS;

    private int lastGeneration;

    static int descriptor(SelectionKeyImpl key) {
        return ((SelChImpl) key.channel()).getFDVal();
    }

    SelectionKeyImpl find(int fd, int generation) {
        SelectionKeyImpl key = at(fd);
        return key != null && KeyState.generation(KeyState.of(key)) == generation ? key : null;
    }

    SelectionKeyImpl at(int fd) {
        return fd < keys.length ? keys[fd] : null;
    }

    /** Enters a key; returns its generation. */
    int enter(SelectionKeyImpl key, int fd) {
        if (fd >= keys.length) {
            keys = Arrays.copyOf(keys, Math.max(fd + 1, Math.max(keys.length * 2, FIRST_CAPACITY)));
        }
        keys[fd] = key;
        lastGeneration = lastGeneration == KeyState.LAST_GENERATION ? 1 : lastGeneration + 1;
        return lastGeneration;
    }

    void clear(int fd) {
        keys[fd] = null;
    }

    /** Every descriptor of a key is smaller than this. */
    int capacity() {
        return keys.length;
    }
}
