// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.arena;

import dev.pollux.internal.jni.ArenaNatives;
import dev.pollux.internal.jni.Natives;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ProtocolFamily;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * The port to an arena of the native library: many connections without a Java object for any, served in turns. Bytes
 * lie in {@link #memory}, which the kernel and the VM share. What arrived and what is ordered lies apart from them. A
 * connection is a number; its lower half, {@link #indexOf}, is small enough for arrays.
 *
 * <p>Thread-safety: for one thread, from the first {@link #turn} on always the same one; {@link #wakeup}, {@link
 * #counts}, {@link #state}, {@link #reserve} and {@link #unreserve} are for any thread at any time, after {@link
 * #close} too. Allocation: none after construction.
 */
public final class Arena {
    /** What {@link #turn} returns when a signal ended it. */
    public static final int INTERRUPTED = -1;

    private static final String ADOPTING = "Adopting a connection";

    private final String name;
    private final String features;
    private final ByteBuffer memory;
    private final ByteBuffer control;
    private final ArenaBlock block;
    private final Arrivals arrivals;
    private final Orders orders;
    private final int spaceSize;
    private final int counted;

    /** Held by other threads while they are at the arena, and while it is closed: no thread touches a closed arena. */
    private final Object lock = new Object();

    /** What was counted last; guarded by the lock. */
    private final long[] last = new long[ArenaNatives.COUNTS];

    /** What {@code plx_arena_open} returned, 0 when closed. Written under {@link #lock}. */
    private long arena;

    private Arena(long arena, ByteBuffer memory, ByteBuffer control) {
        long[] places = new long[ArenaNatives.PLACES];
        ArenaNatives.places(arena, places);
        this.arena = arena;
        this.memory = memory;
        this.control = control.order(ByteOrder.nativeOrder());
        block = new ArenaBlock(memory);
        name = ArenaNatives.name(arena);
        features = ArenaNatives.features(arena);
        long address = places[ArenaNatives.MEMORY];
        arrivals = new Arrivals(control, address, (int) places[ArenaNatives.ARRIVALS]);
        orders = new Orders(control, (int) places[ArenaNatives.ORDERS], (int) places[ArenaNatives.MAX_ORDERS]);
        spaceSize = (int) places[ArenaNatives.SPACE_SIZE];
        counted = (int) places[ArenaNatives.COUNTED];
    }

    /**
     * Opens an arena. A number of 0 stands for the native library's default, which all other sizes have.
     *
     * @param mechanism    its name, or null for the best one that works here
     * @param connections  at a time, listening sockets included
     * @param requestLimit bytes of a request that is not complete
     * @throws IOException if there is no such mechanism here, or a limit of descriptors or memory is reached
     */
    public static Arena open(String mechanism, int connections, int requestLimit) throws IOException {
        List<String> known = List.of(mechanisms().split(","));
        if (mechanism != null && !known.contains(mechanism)) {
            throw new IOException("no mechanism is called " + mechanism + " here; there are "
                    + String.join(", ", known));
        }
        ArenaBlock.freeUnreachable();
        long arena = ArenaNatives.open(mechanism, connections, 0, 0, requestLimit, 0, 0);
        if (arena < 0) {
            String wanted = mechanism == null ? "the best of " + String.join(", ", known) : mechanism;
            throw new IOException("Opening an arena on " + wanted + " for " + connections + " connections and"
                    + " requests of up to " + requestLimit + " bytes: "
                    + ArenaNatives.strerror(mechanism, (int) -arena));
        }
        try {
            ByteBuffer memory = ArenaNatives.memory(arena);
            ByteBuffer control = ArenaNatives.control(arena);
            if (memory == null || control == null) {
                throw new IOException("an arena of more than 2 GiB: use fewer connections, a shorter request, or more"
                        + " arenas");
            }
            return new Arena(arena, memory, control);
        } catch (Throwable e) {
            ArenaNatives.free(ArenaNatives.close(arena));
            throw e;
        }
    }

    private static IOException failure(String call, long code) {
        return new IOException(call + ": " + Natives.strerror((int) code));
    }

    public static String describe(long code) {
        return Natives.strerror((int) code);
    }

    /** {@return the mechanisms of this platform, best first, separated by commas} */
    public static String mechanisms() {
        return ArenaNatives.mechanisms();
    }

    public String name() {
        return name;
    }

    public String features() {
        return features;
    }

    /** {@return the small number of a connection} */
    public static int indexOf(long connection) {
        return (int) connection;
    }

    /** Listens with a socket, of which it has a descriptor of its own then: the number by which it is ordered about. */
    public long listen(int descriptor) throws IOException {
        int own = duplicate(descriptor);
        return take("Listening", own, () -> ArenaNatives.listen(arena, own));
    }

    /** Serves a connected socket in the same way, and bytes that were read from it: its number. */
    public long adopt(int descriptor, byte[] unread) throws IOException {
        int own = duplicate(descriptor);
        return take(ADOPTING, own, () -> ArenaNatives.adopt(arena, own, unread, unread.length, false));
    }

    /**
     * Does the same with a descriptor that has no other owner, in a {@linkplain #reserve reserved} place. If that fails
     * the descriptor is closed, and the place given back.
     */
    public long adoptOwn(int descriptor, byte[] unread) throws IOException {
        return take(ADOPTING, descriptor, () -> adoptReserved(descriptor, unread));
    }

    private long adoptReserved(int own, byte[] unread) {
        try {
            return ArenaNatives.adopt(arena, own, unread, unread.length, true);
        } catch (Throwable e) { // not entered: else it would have given the place back
            unreserve();
            throw e;
        }
    }

    /** {@return whether there was a place for one more connection} It is kept for that. Any thread, after close too. */
    public boolean reserve() {
        synchronized (lock) {
            return arena != 0 && ArenaNatives.reserve(arena) == 0;
        }
    }

    /** Gives a reserved place back; the next turn may accept a connection for it. Any thread, after close too. */
    public void unreserve() {
        synchronized (lock) {
            if (arena != 0) {
                ArenaNatives.unreserve(arena);
            }
        }
    }

    /**
     * Serves in the same way a non-blocking socket that is being connected: its number. {@link Arrivals#CONNECTED}
     * tells when it is connected, or {@link Arrivals#ERROR} why it is not.
     */
    public long connect(int descriptor) throws IOException {
        int own = duplicate(descriptor);
        return take("Connecting", own, () -> ArenaNatives.connect(arena, own));
    }

    private static int duplicate(int descriptor) throws IOException {
        int own = ArenaNatives.duplicate(descriptor);
        if (own < 0) {
            throw failure("Duplicating a descriptor", -own);
        }
        return own;
    }

    /** The number of the connection that owns the descriptor now. If it comes to none, the descriptor is closed. */
    private static long take(String what, int own, LongSupplier call) throws IOException {
        long number;
        try {
            number = call.getAsLong();
        } catch (Throwable e) { // it was not entered: for its first call, the VM looks it up, and may lack memory
            dispose(own);
            throw e;
        }
        if (number < 0) {
            dispose(own);
            throw failure(what, -number);
        }
        return number;
    }

    /**
     * Has the orders carried out, and waits for arrivals.
     *
     * @param nanos at most this long; negative: for ever
     * @return how many arrived; {@link #INTERRUPTED} after a signal
     * @throws IOException if the arena is of no more use
     */
    public int turn(long nanos) throws IOException {
        int arrived = ArenaNatives.turn(arena, orders.take(), nanos);
        if (arrived >= 0) {
            return arrived;
        }
        if (Natives.interrupted(arrived)) {
            return INTERRUPTED;
        }
        throw failure("Waiting for connections on " + name, -arrived);
    }

    /**
     * Sends at once what the socket takes of these bytes, which need not stay. Between turns only, and before anything
     * is ordered to be sent to this connection. Returns how many it took; 0 also after a failure, which an order for
     * the rest will tell.
     */
    public int trySend(long connection, long address, int length) {
        return ArenaNatives.trySend(arena, connection, address, length);
    }

    public Arrivals arrivals() {
        return arrivals;
    }

    public Orders orders() {
        return orders;
    }

    /**
     * {@return the memory that is shared with the kernel} It begins with the room for replies; received bytes lie
     * behind that. Its slices may be kept: when this is closed they show bytes that mean nothing.
     */
    public ByteBuffer memory() {
        return memory;
    }

    public int spaceSize() {
        return spaceSize;
    }

    public static ProtocolFamily family(int descriptor) {
        return switch (ArenaNatives.family(descriptor)) {
            case ArenaNatives.INET -> StandardProtocolFamily.INET;
            case ArenaNatives.INET6 -> StandardProtocolFamily.INET6;
            default -> StandardProtocolFamily.UNIX;
        };
    }

    /** {@return how many bytes that were ordered its peer has not got, if any of them wait to be sent; else 0} */
    public long unsent(long connection) {
        return ArenaNatives.unsent(arena, connection);
    }

    /** {@return another descriptor of a connection's socket, which is the caller's} Throws if it has ended. */
    public int duplicate(long connection) throws IOException {
        return duplicate(ArenaNatives.descriptor(arena, connection));
    }

    /** {@return the address of a connection's other side; null if it has none of the Internet Protocol, or has gone} */
    public SocketAddress peer(long connection) {
        return address(connection, false);
    }

    /** {@return the same of this side} */
    public SocketAddress local(long connection) {
        return address(connection, true);
    }

    private SocketAddress address(long connection, boolean isLocal) {
        byte[] bytes = new byte[16];
        long known = ArenaNatives.address(ArenaNatives.descriptor(arena, connection), isLocal, bytes);
        if (known <= 0) {
            return null;
        }
        try {
            InetAddress host = InetAddress.getByAddress(Arrays.copyOf(bytes, (int) (known >> 16)));
            return new InetSocketAddress(host, (int) (known & 0xffff));
        } catch (UnknownHostException e) {
            throw new AssertionError(e); // its length is one of the two that there are
        }
    }

    /** Closes a socket that has no owner. */
    public static void dispose(int descriptor) {
        ArenaNatives.dispose(descriptor);
    }

    /** Fills an array of {@link ArenaNatives#COUNTS} numbers, as they are about now. Any thread, after close too. */
    public void counts(long[] counts) {
        synchronized (lock) {
            if (arena != 0) {
                readCounts();
            }
            System.arraycopy(last, 0, counts, 0, last.length);
        }
    }

    private void readCounts() {
        for (int i = 0; i < last.length; i++) {
            last[i] = count(i);
        }
    }

    /** {@return one of the numbers that {@link ArenaNatives} names}. Not when closed. */
    public long count(int which) {
        return control.getLong(counted + which * Long.BYTES);
    }

    /**
     * {@return for how many nanoseconds the turn in progress has waited; {@code -1 - n} if none has waited for n}. Any
     * thread, after close too.
     */
    public long state() {
        synchronized (lock) {
            return arena == 0 ? -1 : ArenaNatives.state(arena);
        }
    }

    /** Ends the turn in progress, or else the next one. Any thread; without effect when closed. */
    public void wakeup() {
        synchronized (lock) {
            if (arena != 0) {
                int code = ArenaNatives.wakeup(arena);
                if (code < 0) {
                    throw new InternalError(failure("wakeup", -code));
                }
            }
        }
    }

    /** Closes every connection at once, and gives everything back. Once more has no effect. */
    public void close() {
        long old;
        synchronized (lock) {
            old = arena;
            if (old != 0) {
                readCounts();
            }
            arena = 0;
        }
        if (old != 0) {
            block.address = ArenaNatives.close(old);
        }
    }
}
