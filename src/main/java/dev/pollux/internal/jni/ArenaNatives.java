// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.jni;

import java.nio.ByteBuffer;

/**
 * The calls of {@code arena.h}. An arena is named by the handle that {@link #open} returned and is not checked: a
 * handle used after {@link #close} brings the VM down, and so does memory of {@link #memory} after {@link #free}.
 */
public final class ArenaNatives {
    /** Bytes of one arrival, and the offsets of its fields; native byte order ({@code plx_arrival}). */
    public static final int ARRIVAL_BYTES = 32, ARRIVAL_CONNECTION = 0, ARRIVAL_ADDRESS = 8, ARRIVAL_LENGTH = 16,
            ARRIVAL_WHAT = 20, ARRIVAL_DETAIL = 24;

    /** Bytes of one order, and the offsets of its fields; native byte order ({@code plx_order}). */
    public static final int ORDER_BYTES = 24, ORDER_CONNECTION = 0, ORDER_ADDRESS = 8, ORDER_LENGTH = 16,
            ORDER_WHAT = 20;

    /** What arrived, the values of {@code PLX_ARRIVAL_ACCEPTED} and its neighbours. */
    public static final int ACCEPTED = 1, DATA = 2, END = 3, ERROR = 4, SENT = 5, UNSENT = 6, CLOSED = 7, RELEASED = 8,
            WAKEUP = 9, FENCED = 10, CONNECTED = 11;

    /** What is ordered, the values of {@code PLX_ORDER_SEND} and its neighbours. */
    public static final int SEND = 1, KEEP = 2, AGAIN = 3, PAUSE = 4, RESUME = 5, SHUTDOWN = 6, CLOSE = 7, ABORT = 8,
            RELEASE = 9, FENCE = 10, DUPLEX = 11, RESIDENT = 1 << 8, NOTIFY = 1 << 9;

    /** What {@link #places} fills: the address and a size of {@link #memory}; offsets in {@link #control}, a number. */
    public static final int MEMORY = 0, SPACE_SIZE = 1, ARRIVALS = 2, ORDERS = 3, MAX_ORDERS = 4, COUNTED = 5,
            PLACES = 6;

    /** The numbers that are counted, eight bytes each; native byte order ({@code plx_arena_counts}). */
    public static final int TURNS = 0, SYSTEM_CALLS = 1, SENDS = 2, RECEIVES = 3, SHORT_SENDS = 4, STARVED = 5,
            OVERFLOWS = 6, WAITS = 7, WAITED = 8, CHANGES = 9, RECEIVED_BYTES = 10, SENT_BYTES = 11, COUNTS = 12;

    /** What {@link #family} returns. */
    public static final int INET = 4, INET6 = 6;

    private ArenaNatives() {
    }

    public static native String mechanisms();

    /** Sizes are those of {@code plx_arena_sizes}; 0 means the default. */
    public static native long open(String mechanism, int connections, int buffers, int bufferSize, int requestLimit,
            int pendingLimit, int space);

    public static native String name(long arena);

    public static native String features(long arena);

    /** Bytes of replies and received ones, gone with {@link #free}; null if they are too many for a buffer. */
    public static native ByteBuffer memory(long arena);

    /** Arrivals, orders and counts; the same holds for them. */
    public static native ByteBuffer control(long arena);

    public static native void places(long arena, long[] places);

    /** For how many nanoseconds it has waited; {@code -1 - n} if it has not for n. Any thread. */
    public static native long state(long arena);

    /** Why {@link #open} of a mechanism has failed with a (positive) code. */
    public static native String strerror(String mechanism, int code);

    /** How much of what was ordered a connection's peer has not got, if any of it waits to be sent. */
    public static native long unsent(long arena, long connection);

    /** The descriptor of a connection, which stays the arena's; negative if it has ended. */
    public static native int descriptor(long arena, long connection);

    /**
     * Fills an array of 16 bytes with the address of a socket or of its peer: its length in bytes, 4 or 16, in the bits
     * above the 16 of its port. Not positive if it has no address of the Internet Protocol.
     */
    public static native long address(int descriptor, boolean isLocal, byte[] address);

    public static native long listen(long arena, int descriptor);

    /** In a place that was reserved, or in another one. */
    public static native long adopt(long arena, int descriptor, byte[] bytes, int length, boolean isReserved);

    /** Keeps a place for one connection. Any thread, as the next one. */
    public static native int reserve(long arena);

    /** Gives the place back. */
    public static native void unreserve(long arena);

    public static native long connect(long arena, int descriptor);

    /** Another descriptor of the same socket. */
    public static native int duplicate(int descriptor);

    /** The version of the Internet Protocol that a socket speaks; 0 if it speaks none. */
    public static native int family(int descriptor);

    /** Closes a socket that has no owner. */
    public static native void dispose(int descriptor);

    public static native int turn(long arena, int orders, long nanos);

    /** How many of these bytes the socket takes at once. */
    public static native int trySend(long arena, long connection, long address, int length);

    /**
     * Has this thread run on one processor alone: the index-th, modulo their number, of those that the process could
     * run on at the first call. 0 or {@code -code}.
     */
    public static native int pin(int index);

    /** Fills an array from memory. */
    public static native void copy(long address, byte[] bytes);

    public static native int wakeup(long arena);

    /** Closes the arena. What {@link #memory} and {@link #control} show stays, until {@link #free} of the result. */
    public static native long close(long arena);

    /** Gives back what {@link #close} has returned: buffers of it bring the VM down from now on. */
    public static native void free(long block);
}
