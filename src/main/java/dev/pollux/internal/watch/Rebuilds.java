// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.watch;

import java.util.Map;
import java.util.WeakHashMap;

/**
 * Counts selectors that were closed soon after they had been opened, and had done nothing but spin. Some frameworks
 * replace a selector that returns at once several hundred times; so no single one of them lives long enough for its
 * fault to be found.
 *
 * <p>Of the whole virtual machine, for any thread.
 */
final class Rebuilds {
    /** How many there must be within a second. */
    static final int MIN_REBUILDS = 8;

    private static final long SECOND = 1_000_000_000L;

    /** A warning is not repeated before that. */
    static final long SILENCE = 60 * SECOND;

    private static long began = System.nanoTime() - SECOND;

    /** How many since then: by thread, or of those with a faulty key, whose key here is null. */
    static final Map<Thread, Integer> COUNTS = new WeakHashMap<>();

    /** When there was a warning. */
    static long warned = began - SILENCE;

    private Rebuilds() {
    }

    /**
     * Another one: whether there were enough for a warning.
     *
     * @param thread that has selected, to count its selectors alone; null for a selector with a faulty key. Without
     *               one it may be an executor that has lived shortly, as others do whose threads are others
     */
    static synchronized boolean add(long now, Thread thread) {
        if (now - began >= SECOND) {
            began = now;
            COUNTS.clear();
        }
        boolean areMany = COUNTS.merge(thread, 1, Integer::sum) >= MIN_REBUILDS && now - warned >= SILENCE;
        if (areMany) {
            warned = now;
        }
        return areMany;
    }
}
