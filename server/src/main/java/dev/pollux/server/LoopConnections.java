// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import dev.pollux.internal.arena.Arena;
import dev.pollux.internal.arena.Orders;
import java.util.Arrays;
import java.util.function.Supplier;

/**
 * The connections of one loop: for each a number, a {@link ServiceState} and a {@link Phase}, 10 bytes in arrays. There
 * is no object for a connection, unless it is held.
 *
 * <p>For the loop's thread; {@link #open} and {@link #isClosing} are for any. Allocation: for what is held or attached,
 * and that of {@link LoopTimeouts}.
 */
final class LoopConnections {
    private static final ServiceState[] STATES = ServiceState.values();
    private static final Phase[] PHASES = Phase.values();
    private static final int LEAVING = ServiceState.LEAVING.ordinal();

    private static final HeldConnection[] NONE_HELD = {};
    private static final Object[] NONE_ATTACHED = {};

    private final Arena arena;
    private final Supplier<HeldConnection> newHeld;
    private final long[] numbers;

    /** The ordinal of its {@link ServiceState}; in the last one, that of its {@link CloseReason} is added. */
    private final byte[] states;

    /** The ordinal of the {@link Phase} of its input. */
    private final byte[] phases;

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
        phases = new byte[max];
        this.timeouts = timeouts;
    }

    int open() {
        return open;
    }

    boolean isClosing() {
        return isClosing;
    }

    void setClosing() {
        isClosing = true;
    }

    void begin(long connection) {
        int index = Arena.indexOf(connection);
        numbers[index] = connection;
        states[index] = (byte) ServiceState.SERVED.ordinal();
        phases[index] = (byte) Phase.HANDSHAKE.ordinal();
        timeouts.begin(index);
        open++;
    }

    /** The handler hears that it begins. */
    void setKnown(long connection) {
        enter(connection, Phase.FIRST_BYTE);
    }

    /** Whether the handler has heard that it begins; also after it has ended, until it is forgotten. */
    boolean isKnown(long connection) {
        return inputPhase(connection) != Phase.HANDSHAKE;
    }

    private void enter(long connection, Phase phase) {
        int index = Arena.indexOf(connection);
        phases[index] = (byte) phase.ordinal();
        timeouts.enter(index);
    }

    private Phase inputPhase(long connection) {
        return PHASES[phases[Arena.indexOf(connection)]];
    }

    /** Some of a request has come, and not all of it. */
    void beginRequest(long connection) {
        if (inputPhase(connection) != Phase.REQUEST) {
            enter(connection, Phase.REQUEST);
        }
    }

    /** A request was handled, or no more of it comes. */
    void endRequest(long connection) {
        if (isKnown(connection)) {
            enter(connection, Phase.IDLE);
        }
    }

    /** Something that it was sent has gone out: it is not idle. */
    void onSent(long connection) {
        if (inputPhase(connection) != Phase.REQUEST) {
            timeouts.enter(Arena.indexOf(connection));
        }
    }

    /** What it waits for: what is to be closed, for the other side to take what is left. */
    Phase phase(long connection) {
        return state(connection) == ServiceState.LEAVING ? Phase.WRITING : inputPhase(connection);
    }

    void setTimeout(long connection, Phase phase, long limit) {
        if (state(connection) != ServiceState.NONE) {
            timeouts.set(Arena.indexOf(connection), phase, limit);
        }
    }

    void end(long connection) {
        int index = Arena.indexOf(connection);
        states[index] = (byte) ServiceState.NONE.ordinal();
        timeouts.end(index);
        open--;
    }

    /** What outlives the calls for a connection; made if there is none. One that has ended gets one that has. */
    HeldConnection hold(long connection) {
        HeldConnection handle = held(connection);
        boolean isHere = state(connection) != ServiceState.NONE;
        if (handle == null) {
            handle = newHeld.get();
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
        ServiceState state = state(connection);
        return state == ServiceState.SERVED || state == ServiceState.DEFERRED;
    }

    /** It is on its way to another loop. */
    void move(long connection) {
        set(connection, ServiceState.MOVING.ordinal());
    }

    /** A reply is owed. */
    void defer(long connection) {
        set(connection, ServiceState.DEFERRED.ordinal());
    }

    /** None is owed any more. */
    void goOn(long connection) {
        set(connection, ServiceState.SERVED.ordinal());
    }

    /** It is to end for this reason, unless there was one before: false. */
    boolean leave(long connection, CloseReason reason) {
        if (state(connection) == ServiceState.LEAVING) {
            return false;
        }
        set(connection, LEAVING + reason.ordinal());
        return true;
    }

    /** It fails, whatever it was to end for: whether it was to end for nothing before. */
    boolean fail(long connection) {
        boolean isFirst = state(connection) != ServiceState.LEAVING;
        set(connection, LEAVING + CloseReason.FAILED.ordinal());
        return isFirst;
    }

    private void set(long connection, int state) {
        int index = Arena.indexOf(connection);
        states[index] = (byte) state;
        timeouts.enter(index);
    }

    /** Why it has ended, or ends; the server if nothing was said. */
    CloseReason reason(long connection) {
        return state(connection) == ServiceState.LEAVING
                ? CloseReason.of(states[Arena.indexOf(connection)] - LEAVING) : CloseReason.SERVER;
    }

    /** NONE also of one that has gone. */
    ServiceState state(long connection) {
        int index = Arena.indexOf(connection);
        return numbers[index] == connection ? stateAt(index) : ServiceState.NONE;
    }

    private ServiceState stateAt(int place) {
        return STATES[Math.min(states[place], LEAVING)];
    }

    void clear() {
        Arrays.fill(states, (byte) ServiceState.NONE.ordinal());
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
        return stateAt(place) == ServiceState.NONE ? 0 : numbers[place];
    }
}
