// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import java.time.Duration;

/**
 * Tells whether a test that is to keep a connection busy has done so. If the machine holds up its thread for too long,
 * the connection is idle, and the server is right to close it.
 */
final class Pulse {
    /** An idle timeout that a test does not exceed, unless it is held up. */
    static final Duration TIMEOUT = Duration.ofSeconds(1);

    private long last = System.nanoTime();
    private long longest;

    /** The connection has been used. */
    void beat() {
        long now = System.nanoTime();
        longest = Math.max(longest, now - last);
        last = now;
    }

    /** Whether it may have been idle for the timeout. */
    boolean wasHeldUp() {
        beat();
        return longest > TIMEOUT.toNanos() / 2;
    }
}
