// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.jdk;

/** Has a StackOverflowError, if there must be one, come before work that must not break off in the middle. */
public final class StackReserve {
    private StackReserve() {
    }

    /** Uses this number of small frames: the interpreter takes about 100 bytes for each, compiled code about 30. */
    public static int require(int frames) {
        return frames == 0 ? 0 : 1 + require(frames - 1); // not a tail call: each frame is in use
    }
}
