// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.selector;

import dev.pollux.internal.jdk.SelectionKeyFields;
import java.util.Arrays;
import java.util.function.Consumer;
import sun.nio.ch.SelectionKeyImpl;

/**
 * The keys whose interest was changed since the mechanism was last told, each at most once.
 *
 * <p>A flag in the key ({@code lastPolled}) says that it is queued and that its interest is yet to be read. It is set after
 * the key is in the queue, so that whoever sees it set and then selects finds the key there; it is cleared before the
 * interest is read, so that a change which comes too late for the reading queues the key again.
 *
 * <p>Thread-safety: {@link #add} and {@link #isEmpty} are for any thread, {@link #drain} for one at a time. Allocates only
 * to grow.
 */
final class UpdateQueue {
    private static final int QUEUED = 1;

    /** Guarded by this. */
    private SelectionKeyImpl[] keys = new SelectionKeyImpl[16];

    /** Written under this; read without, to find the queue empty at no cost. */
    private volatile int size;

    /** The array that the last drain emptied, guarded by the selector's lock. */
    private SelectionKeyImpl[] spare = new SelectionKeyImpl[16];

    boolean isEmpty() {
        return size == 0;
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
                keys = Arrays.copyOf(keys, n * 2);
            }
            keys[n] = key;
            size = n + 1;
            SelectionKeyFields.lastPolledVolatile(key, QUEUED);
        }
    }

    /** Takes every key out, in the order of queueing, and hands it to {@code action}, which must not throw. */
    void drain(Consumer<SelectionKeyImpl> action) {
        SelectionKeyImpl[] batch;
        int n;
        synchronized (this) {
            batch = keys;
            n = size;
            keys = spare;
            size = 0;
        }
        for (int i = 0; i < n; i++) {
            SelectionKeyImpl key = batch[i];
            batch[i] = null;
            SelectionKeyFields.lastPolledVolatile(key, 0);
            action.accept(key);
        }
        spare = batch;
    }
}
