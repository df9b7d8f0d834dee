// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.arena;

import dev.pollux.internal.jni.ArenaNatives;
import java.nio.ByteBuffer;

/**
 * What an arena's next turn is to do. It is written where the native library reads it. Bytes must stay as they are
 * until that turn has returned.
 *
 * <p>For the arena's thread. Allocation: none.
 */
public final class Orders {
    /** What is ordered, see {@code arena.h}. */
    public static final int SEND = ArenaNatives.SEND, KEEP = ArenaNatives.KEEP, AGAIN = ArenaNatives.AGAIN,
            PAUSE = ArenaNatives.PAUSE, RESUME = ArenaNatives.RESUME, SHUTDOWN = ArenaNatives.SHUTDOWN,
            CLOSE = ArenaNatives.CLOSE, ABORT = ArenaNatives.ABORT, RELEASE = ArenaNatives.RELEASE,
            FENCE = ArenaNatives.FENCE;

    /**
     * Beside {@link #SEND}: the bytes stay as they are until they are sent; {@link Arrivals#SENT} is to tell when that
     * is.
     */
    public static final int RESIDENT = ArenaNatives.RESIDENT, NOTIFY = ArenaNatives.NOTIFY;

    private final ByteBuffer control;
    private final long address;
    private final int start;
    private final int most;
    private int count;

    /** The connection of the last order of this batch; 0 if there is none. */
    private long last;

    /**
     * Orders of an arena.
     *
     * @param control what they lie in
     * @param address where the memory of bytes is
     * @param start   where in the former they begin
     * @param most    how many there is room for
     */
    Orders(ByteBuffer control, long address, int start, int most) {
        this.control = control;
        this.address = address;
        this.start = start;
        this.most = most;
    }

    /** Orders what needs no bytes. */
    public void add(long connection, int what) {
        add(connection, what, 0, 0);
    }

    /** Orders something with bytes of the arena's memory. */
    public void addWith(long connection, int what, int from, int length) {
        add(connection, what, address + from, length);
    }

    /** Orders something with bytes anywhere outside of the heap. */
    public void add(long connection, int what, long from, int length) {
        int at = start + count * ArenaNatives.ORDER_BYTES;
        if (count == most) {
            throw new IllegalStateException("more than " + most + " orders");
        }
        control.putLong(at + ArenaNatives.ORDER_CONNECTION, connection);
        control.putLong(at + ArenaNatives.ORDER_ADDRESS, from);
        control.putInt(at + ArenaNatives.ORDER_LENGTH, length);
        control.putInt(at + ArenaNatives.ORDER_WHAT, what);
        count++;
        last = connection;
    }

    /** {@return whether the last order of this batch is one for this connection} */
    public boolean isLastOf(long connection) {
        return last == connection;
    }

    /**
     * {@return how many more there is room for} If none has been given, that is more than two for each arrival of any
     * batch.
     */
    public int room() {
        return most - count;
    }

    /** {@return how many there are, and forgets them} */
    int take() {
        int taken = count;
        count = 0;
        last = 0;
        return taken;
    }
}
