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
            FENCE = ArenaNatives.FENCE, DUPLEX = ArenaNatives.DUPLEX;

    /** Beside {@link #SEND}: the bytes stay until they are sent; {@link Arrivals#SENT} tells when that is. */
    public static final int RESIDENT = ArenaNatives.RESIDENT, NOTIFY = ArenaNatives.NOTIFY;

    /** What they lie in, from {@link #start} on. */
    private final ByteBuffer control;
    private final int start;
    private final int max;

    private int count;

    /** The connection of the last order of this turn; 0 if there is none. What it is, and where its bytes end. */
    private long last;
    private int lastWhat;
    private long lastEnd;

    Orders(ByteBuffer control, int start, int max) {
        this.control = control;
        this.start = start;
        this.max = max;
    }

    /** Orders what needs no bytes. */
    public void add(long connection, int what) {
        add(connection, what, 0, 0);
    }

    /**
     * Orders something with bytes outside of the heap. What is to be sent, and lies behind what the last order sends,
     * is made part of that order.
     */
    public void add(long connection, int what, long from, int length) {
        if (connection == last && from == lastEnd && joins(what, length)) {
            return;
        }
        int at = start + count * ArenaNatives.ORDER_BYTES;
        if (count == max) {
            throw new IllegalStateException("more than " + max + " orders");
        }
        control.putLong(at + ArenaNatives.ORDER_CONNECTION, connection);
        control.putLong(at + ArenaNatives.ORDER_ADDRESS, from);
        control.putInt(at + ArenaNatives.ORDER_LENGTH, length);
        control.putInt(at + ArenaNatives.ORDER_WHAT, what);
        count++;
        last = connection;
        lastWhat = what;
        lastEnd = from + length;
    }

    /** Not what is to be told of when it was sent: these are counted. */
    private boolean joins(int what, int length) {
        int at = start + (count - 1) * ArenaNatives.ORDER_BYTES + ArenaNatives.ORDER_LENGTH;
        if (what != lastWhat || (what & ~RESIDENT) != SEND || control.getInt(at) > Integer.MAX_VALUE - length) {
            return false;
        }
        control.putInt(at, control.getInt(at) + length);
        lastEnd += length;
        return true;
    }

    /** {@return whether the last order of this turn is one for this connection} */
    public boolean isLastOf(long connection) {
        return last == connection;
    }

    /** {@return how many more there is room for} At first more than two for each arrival of any turn. */
    public int room() {
        return max - count;
    }

    /** {@return how many there are, and forgets them} */
    int take() {
        int taken = count;
        count = 0;
        last = 0;
        return taken;
    }
}
