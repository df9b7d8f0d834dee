// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.selector;

import dev.pollux.internal.jdk.SelectionKeyFields;
import java.util.Arrays;
import java.util.function.Consumer;
import sun.nio.ch.SelectionKeyImpl;

/**
 * The keys whose interest was changed since the mechanism was last told, each at most once. A flag in the key ({@code
 * lastPolled}) says that it is queued and that its interest is yet to be read. It is set after the key is in the
 * queue, so that a thread that sees it set and then selects finds the key; it is cleared before the interest is read,
 * so that a change which comes too late for the reading queues the key again. Thread-safety: {@link #add} is for any
 * thread, the rest for the selecting one. Allocates only to grow.
 */
final class UpdateQueue {
    private static final int QUEUED = 1;

    private static final int FIRST_CAPACITY = 16;

    /** Guarded by this. */
    private SelectionKeyImpl[] keys = KeyTable.NO_KEYS;

    /** Written under this; read without, to find the queue empty at no cost. */
    private volatile int size;

    /**
     * What is being drained: keys in [next, end). An error in the middle, such as a stack that is too small, leaves the
     * rest here for the next drain. Guarded by the selector's lock.
     */
    private SelectionKeyImpl[] batch = KeyTable.NO_KEYS;
    private int next;
    private int end;

    boolean isEmpty() {
        return size == 0 && next == end;
    }

    void add(SelectionKeyImpl key) {
        if (SelectionKeyFields.lastPolledVolatile(key) == QUEUED) {
            return;
        }
        synchronized (this) {
            if (SelectionKeyFields.lastPolledVolatile(key) == QUEUED) {
                return;
            }
            int n = size;
            if (n == keys.length) {
                keys = Arrays.copyOf(keys, Math.max(n * 2, FIRST_CAPACITY));
            }
            keys[n] = key;
            size = n + 1;
            SelectionKeyFields.lastPolledVolatile(key, QUEUED);
        }
    }

    /** Takes every key out, in the order of queueing, and hands it to {@code action}. */
    void drain(Consumer<SelectionKeyImpl> action) {
        drainBatch(action);
        synchronized (this) {
            SelectionKeyImpl[] emptied = batch;
            batch = keys;
            next = 0;
            end = size;
            keys = emptied;
            size = 0;
        }
        drainBatch(action);
    }

    private void drainBatch(Consumer<SelectionKeyImpl> action) {
        while (next < end) {
            SelectionKeyImpl key = batch[next];
            SelectionKeyFields.lastPolledVolatile(key, 0);
            action.accept(key);
            batch[next++] = null;
        }
    }
}
