// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import dev.pollux.internal.arena.Arena;
import dev.pollux.internal.arena.Orders;
import java.util.Arrays;
import java.util.function.Supplier;

/**
 * The connections of one loop: for each a number, a state and a phase, 9 bytes in arrays. There is no object for a
 * connection, unless it is held.
 *
 * <p>For the loop's thread; {@link #open} and {@link #isClosing} are for any. Allocation: for what is held or attached,
 * and that of {@link LoopTimeouts}.
 */
final class LoopConnections {
    /**
     * States: no connection; on its way to another loop; requests are handled; a reply is owed; it is to be closed or
     * released, for the {@link CloseReason} whose ordinal is added.
     */
    static final byte NONE = 0, MOVING = 1, SERVED = 2, DEFERRED = 3, LEAVING = 4;

    /** Beside a state: the handler has heard that the connection begins. It stays until the next one begins. */
    private static final byte KNOWN = 1 << 6;

    /** Beside a state: some of a request has come, and not all of it; a request has come before. */
    private static final byte BEGUN = 1 << 5, HEARD = 1 << 4;

    private static final byte STATE = HEARD - 1;

    private static final HeldConnection[] NONE_HELD = {};
    private static final Object[] NONE_ATTACHED = {};

    private final Arena arena;
    private final Supplier<HeldConnection> newHeld;
    private final long[] numbers;
    private final byte[] states;

    private final LoopTimeouts timeouts;

    /** By index, as far as one was held. */
    private HeldConnection[] held = NONE_HELD;

    /** What the handler has attached to those that are not held, by index, as far as it has. */
    private Object[] attached = NONE_ATTACHED;

    private int open;

    /** No further one is to begin, and no further request is handled. Any thread reads it. */
    private volatile boolean isClosing;

    /** That many at most, of this arena. */
    LoopConnections(Arena arena, int max, LoopTimeouts timeouts, Supplier<HeldConnection> newHeld) {
        this.arena = arena;
        this.newHeld = newHeld;
        numbers = new long[max];
        states = new byte[max];
        this.timeouts = timeouts;
    }

    int open() {
        return open;
    }

    boolean isClosing() {
        return isClosing;
    }

    /** The loop is to end, or has. */
    void setClosing() {
        isClosing = true;
    }

    void begin(long connection) {
        int index = Arena.indexOf(connection);
        numbers[index] = connection;
        states[index] = SERVED;
        timeouts.begin(index);
        open++;
    }

    void setKnown(long connection) {
        enterPhase(Arena.indexOf(connection), KNOWN);
    }

    private void enterPhase(int index, int phase) {
        states[index] = (byte) (states[index] & (STATE | KNOWN) | phase);
        timeouts.enter(index);
    }

    /** Some of a request has come, and not all of it. */
    void beginRequest(long connection) {
        int index = Arena.indexOf(connection);
        if ((states[index] & BEGUN) == 0) {
            enterPhase(index, BEGUN);
        }
    }

    /** A request was handled, or no more of it comes. */
    void endRequest(long connection) {
        enterPhase(Arena.indexOf(connection), HEARD);
    }

    /** Something that it was sent has gone out: it is not idle. */
    void onSent(long connection) {
        int index = Arena.indexOf(connection);
        if ((states[index] & BEGUN) == 0) {
            timeouts.enter(index);
        }
    }

    /** What its input is in, as far as it is told by time. */
    Phase phase(long connection) {
        byte state = states[Arena.indexOf(connection)];
        if ((state & STATE) >= LEAVING) {
            return Phase.WRITING;
        }
        if ((state & KNOWN) == 0) {
            return Phase.HANDSHAKE;
        }
        return (state & BEGUN) != 0 ? Phase.REQUEST
                : (state & HEARD) != 0 ? Phase.IDLE : Phase.FIRST_BYTE;
    }

    /** Gives a connection a time of its own for a phase. */
    void setTimeout(long connection, Phase phase, long limit) {
        if (state(connection) != NONE) {
            timeouts.set(Arena.indexOf(connection), phase, limit);
        }
    }

    boolean isKnown(long connection) {
        return (states[Arena.indexOf(connection)] & KNOWN) != 0;
    }

    void end(long connection) {
        int index = Arena.indexOf(connection);
        enter(index, NONE);
        timeouts.end(index);
        open--;
    }

    /** One to be held, of the loop's handler. */
    HeldConnection newHeld() {
        return newHeld.get();
    }

    /** What outlives the calls for a connection; made if there is none. One that has ended gets one that has. */
    HeldConnection hold(long connection) {
        HeldConnection handle = held(connection);
        boolean isHere = state(connection) != NONE;
        if (handle == null) {
            handle = newHeld();
            if (isHere) {
                hold(connection, handle);
            } else {
                handle.attach(attachment(connection));
                handle.end(null);
            }
        }
        if (isHere && handle.remoteAddress() == null) {
            handle.setAddresses(arena.peer(connection), arena.local(connection));
        }
        return handle;
    }

    /** From now on this outlives the calls for it. */
    void hold(long connection, HeldConnection handle) {
        handle.begin(connection);
        put(connection, handle);
        arena.orders().add(connection, Orders.DUPLEX);
    }

    private void put(long connection, HeldConnection handle) {
        int index = Arena.indexOf(connection);
        if (index >= held.length) {
            held = Arrays.copyOf(held, roomFor(index));
        }
        held[index] = handle;
        if (index < attached.length) {
            handle.attach(attached[index]);
            attached[index] = null;
        }
    }

    /** How long an array by index is to be made that has no place for this one. */
    int roomFor(int index) {
        return Math.min(numbers.length, 2 * index + 16);
    }

    /** Attaches something to a connection that is not forgotten: what was attached before. */
    Object attach(long connection, Object next) {
        HeldConnection handle = held(connection);
        if (handle != null) {
            return handle.attach(next);
        }
        Object before = attachment(connection);
        int index = Arena.indexOf(connection);
        if (index >= attached.length && next != null) {
            attached = Arrays.copyOf(attached, roomFor(index));
        }
        if (index < attached.length && numbers[index] == connection) {
            attached[index] = next;
        }
        return before;
    }

    Object attachment(long connection) {
        HeldConnection handle = held(connection);
        if (handle != null) {
            return handle.attachment();
        }
        int index = Arena.indexOf(connection);
        return index < attached.length && numbers[index] == connection ? attached[index] : null;
    }

    /** The handler has heard of its end. */
    void forget(long connection) {
        int index = Arena.indexOf(connection);
        if (index < held.length) {
            held[index] = null;
        }
        if (index < attached.length) {
            attached[index] = null;
        }
    }

    /** What outlives the calls for a connection that is not forgotten; null: nothing does. */
    HeldConnection held(long connection) {
        int index = Arena.indexOf(connection);
        return index < held.length && numbers[index] == connection ? held[index] : null;
    }

    /** Whether data and replies of it are of any use. */
    boolean isServed(long connection) {
        byte state = state(connection);
        return state == SERVED || state == DEFERRED;
    }

    /** It is to end for this reason, unless there was one before: false. */
    boolean leave(long connection, CloseReason reason) {
        if (state(connection) >= LEAVING) {
            return false;
        }
        set(connection, (byte) (LEAVING + reason.ordinal()));
        return true;
    }

    /** It fails, whatever it was to end for: whether it was to end for nothing before. */
    boolean fail(long connection) {
        boolean isFirst = state(connection) < LEAVING;
        set(connection, (byte) (LEAVING + CloseReason.FAILED.ordinal()));
        return isFirst;
    }

    /** Why it has ended, or ends; the server if nothing was said. */
    CloseReason reason(long connection) {
        byte state = state(connection);
        return state < LEAVING ? CloseReason.SERVER : CloseReason.of(state - LEAVING);
    }

    /** The state of a connection; NONE if it has gone. */
    byte state(long connection) {
        int index = Arena.indexOf(connection);
        return numbers[index] == connection ? stateAt(index) : NONE;
    }

    private byte stateAt(int place) {
        return (byte) (states[place] & STATE);
    }

    private void enter(int place, byte state) {
        states[place] = (byte) (states[place] & ~STATE | state);
    }

    /** It enters a state now. */
    void set(long connection, byte state) {
        int index = Arena.indexOf(connection);
        enter(index, state);
        timeouts.enter(index);
    }

    void clear() {
        Arrays.fill(states, NONE);
        held = NONE_HELD;
        attached = NONE_ATTACHED;
        open = 0;
    }

    /** How many places there are to look at by {@link #at}. */
    int places() {
        return numbers.length;
    }

    /** The connection at a place, whatever its state; 0 if there is none. */
    long at(int place) {
        return stateAt(place) == NONE ? 0 : numbers[place];
    }

    /** The connection at a place, if it is in this state; else 0. */
    long at(int place, byte state) {
        return stateAt(place) == state ? numbers[place] : 0;
    }
}
