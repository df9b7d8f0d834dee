// SPDX-License-Identifier: Apache-2.0
package dev.pollux;

import dev.pollux.internal.arena.Arena;
import java.util.Arrays;

/**
 * The connections of one {@link InterruptLoop}: for each a number, a state and a time, 13 bytes in arrays. There is no
 * object for a connection.
 *
 * <p>For the loop's thread; {@link #open} is for any. Allocation: none.
 */
final class LoopConnections {
    /** States: no connection; requests are handled; a reply is owed; it is to be closed or released. */
    static final byte NONE = 0, SERVED = 1, DEFERRED = 2, LEAVING = 3;

    private final long[] numbers;
    private final byte[] states;

    /** The tick in which it completed a request last, or began, or was told to leave. */
    private final int[] times;

    private int now;
    private int open;

    LoopConnections(int most) {
        numbers = new long[most];
        states = new byte[most];
        times = new int[most];
    }

    /** How many there are. */
    int open() {
        return open;
    }

    /** Sets the time. */
    void setTick(int tick) {
        now = tick;
    }

    void begin(long connection) {
        int index = Arena.indexOf(connection);
        numbers[index] = connection;
        states[index] = SERVED;
        times[index] = now;
        open++;
    }

    void end(long connection) {
        states[Arena.indexOf(connection)] = NONE;
        open--;
    }

    /** The state of a connection; NONE if it has gone. */
    byte state(long connection) {
        int index = Arena.indexOf(connection);
        return numbers[index] == connection ? states[index] : NONE;
    }

    /** It enters a state now. */
    void set(long connection, byte state) {
        int index = Arena.indexOf(connection);
        states[index] = state;
        times[index] = now;
    }

    /** A request of it was handled. */
    void touch(long connection) {
        times[Arena.indexOf(connection)] = now;
    }

    /** There are none any more. */
    void clear() {
        Arrays.fill(states, NONE);
        open = 0;
    }

    /** How many places there are to look at by {@link #at}. */
    int places() {
        return numbers.length;
    }

    /** The connection at a place that has been in this state for more ticks than these; 0 if there is none. */
    long at(int place, byte state, int ticks) {
        return states[place] == state && now - times[place] > ticks ? numbers[place] : 0;
    }
}
