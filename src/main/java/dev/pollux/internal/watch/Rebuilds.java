// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.watch;

/**
 * Counts selectors that were closed soon after they had been opened, and had done nothing but spin. Some frameworks
 * replace a selector that returns at once several hundred times; so no single one of them lives long enough for its
 * fault to be found.
 *
 * <p>Of the whole virtual machine, for any thread. No allocation.
 */
final class Rebuilds {
    /** How many there must be within a second. */
    static final int MIN_REBUILDS = 8;

    private static final long SECOND = 1_000_000_000L;

    /** A warning is not repeated before that. */
    static final long SILENCE = 60 * SECOND;

    private static long began = System.nanoTime() - SECOND;
    static int count;

    /** When there was a warning. */
    static long warned = began - SILENCE;

    private Rebuilds() {
    }

    /** Another one: whether there were enough for a warning. */
    static synchronized boolean add(long now) {
        if (now - began >= SECOND) {
            began = now;
            count = 0;
        }
        boolean areMany = ++count >= MIN_REBUILDS && now - warned >= SILENCE;
        if (areMany) {
            warned = now;
        }
        return areMany;
    }
}
