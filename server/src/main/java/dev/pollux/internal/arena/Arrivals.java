// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.arena;

import dev.pollux.internal.jni.ArenaNatives;
import java.nio.ByteBuffer;

/**
 * What arrived in an arena's last turn, by place. It is read where the native library has written it, and is gone with
 * the next turn.
 *
 * <p>For the arena's thread. Allocation: {@link #unread} alone.
 */
public final class Arrivals {
    /** What arrived: {@link #what}, see {@code arena.h}. */
    public static final int ACCEPTED = ArenaNatives.ACCEPTED, DATA = ArenaNatives.DATA, END = ArenaNatives.END,
            ERROR = ArenaNatives.ERROR, SENT = ArenaNatives.SENT, UNSENT = ArenaNatives.UNSENT,
            CLOSED = ArenaNatives.CLOSED, RELEASED = ArenaNatives.RELEASED, WAKEUP = ArenaNatives.WAKEUP,
            FENCED = ArenaNatives.FENCED, CONNECTED = ArenaNatives.CONNECTED;

    /** What they lie in, from {@link #start} on. */
    private final ByteBuffer control;
    private final int start;

    /** Where the memory of bytes is. */
    private final long address;

    Arrivals(ByteBuffer control, long address, int start) {
        this.control = control;
        this.address = address;
        this.start = start;
    }

    /** {@return what the arrival tells: {@link #DATA} or another one} */
    public int what(int arrival) {
        return control.getInt(place(arrival) + ArenaNatives.ARRIVAL_WHAT);
    }

    public long connection(int arrival) {
        return control.getLong(place(arrival) + ArenaNatives.ARRIVAL_CONNECTION);
    }

    /** {@return where in the arena's memory the bytes are; of {@link #DATA}} */
    public int bytes(int arrival) {
        return (int) (control.getLong(place(arrival) + ArenaNatives.ARRIVAL_ADDRESS) - address);
    }

    public int length(int arrival) {
        return control.getInt(place(arrival) + ArenaNatives.ARRIVAL_LENGTH);
    }

    /** {@return a descriptor, a code, a count: what else there is to tell} */
    public long detail(int arrival) {
        return control.getLong(place(arrival) + ArenaNatives.ARRIVAL_DETAIL);
    }

    /** {@return a copy of the bytes that a connection was released with; of {@link #RELEASED}} */
    public byte[] unread(int arrival) {
        byte[] unread = new byte[length(arrival)];
        ArenaNatives.copy(control.getLong(place(arrival) + ArenaNatives.ARRIVAL_ADDRESS), unread);
        return unread;
    }

    private int place(int arrival) {
        return start + arrival * ArenaNatives.ARRIVAL_BYTES;
    }
}
