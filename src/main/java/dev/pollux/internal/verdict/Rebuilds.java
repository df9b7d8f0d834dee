// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.verdict;

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
    private static long began = System.nanoTime() - Limits.SECOND;

    /** How many since then: by thread, or of those with a faulty key, whose key here is null. */
    static final Map<Thread, Integer> COUNTS = new WeakHashMap<>();

    /** When there was a warning. */
    static long warned = began - Limits.SILENCE_NANOS;

    private Rebuilds() {
    }

    /**
     * Another one: whether there were enough for a warning.
     *
     * @param thread that has selected, to count its selectors alone; null for a selector with a faulty key. Without
     *               one it may be an executor that has lived shortly, as others do whose threads are others
     */
    static synchronized boolean add(long now, Thread thread) {
        if (now - began >= Limits.SECOND) {
            began = now;
            COUNTS.clear();
        }
        boolean areMany = COUNTS.merge(thread, 1, Integer::sum) >= Limits.MIN_REBUILDS
                && now - warned >= Limits.SILENCE_NANOS;
        if (areMany) {
            warned = now;
        }
        return areMany;
    }
}
