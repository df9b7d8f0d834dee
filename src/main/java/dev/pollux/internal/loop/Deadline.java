// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.loop;

/**
 * What is left of a timeout in nanoseconds; a negative one never ends. A wait that is interrupted by signals and begun
 * again must not become longer, so its end is a point in time. Stateless. No allocation.
 */
public final class Deadline {
    private Deadline() {
    }

    /** {@return when a timeout that begins now will be over}, to be handed to {@link #left(long, long)} */
    public static long after(long timeout) {
        return timeout > 0 ? System.nanoTime() + timeout : 0; // without a timeout the time is not looked up
    }

    /** {@return what is left of a timeout}: negative if it never ends, 0 if it is over */
    public static long left(long timeout, long deadline) {
        return timeout > 0 ? left(timeout, deadline, System.nanoTime()) : timeout;
    }

    static long left(long timeout, long deadline, long now) {
        // A deadline may overflow, and so may the clock: the difference is right all the same.
        return timeout > 0 ? Math.max(deadline - now, 0) : timeout;
    }
}
