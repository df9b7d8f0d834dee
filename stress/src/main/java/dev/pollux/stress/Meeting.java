// SPDX-License-Identifier: Apache-2.0
package dev.pollux.stress;

import java.util.concurrent.ThreadLocalRandom;

/**
 * Lets a short step of one thread meet each moment of a long one of another, which it would mostly run ahead of.
 *
 * <p>The waiting thread does not wait for ever: jcstress also runs one after the other.
 */
public final class Meeting {
    private volatile boolean begun;

    /** The long step begins. */
    public void begin() {
        begun = true;
    }

    /** Returns a moment after the long step has begun. */
    public void await() {
        for (int i = 0; i < 1000 && !begun; i++) {
            Thread.onSpinWait();
        }
        for (int i = ThreadLocalRandom.current().nextInt(64); i > 0; i--) {
            Thread.onSpinWait();
        }
    }
}
