// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.jdk;

/**
 * Has a StackOverflowError, if there must be one, come before work that must not break off in the middle.
 *
 * <p>Stateless. No allocation.
 */
public final class StackReserve {
    private StackReserve() {
    }

    /**
     * Requires stack for this number of small frames.
     * The interpreter takes about 100 bytes for each, compiled code about 30.
     *
     * @throws StackOverflowError if there is less
     */
    public static void require(int frames) {
        recurse(frames);
    }

    private static int recurse(int frames) {
        return frames == 0 ? 0 : 1 + recurse(frames - 1); // not a tail call: each frame is in use
    }
}
