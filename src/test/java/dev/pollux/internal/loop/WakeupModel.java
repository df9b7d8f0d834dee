// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.loop;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A selecting thread, wakers, an interrupt, an event and a close, one atomic step at a time, in every order there is.
 *
 * <p>The gate is the real one, put into each state in turn. The rest is a copy by hand of {@code WaitStrategy}, {@code
 * VirtualWait} and {@code PollSet}, without {@code WaitStrategy.yieldFirst}, which waits for nothing: who changes one
 * of them changes this, too. Each step is one access to what threads share: the gate's word, the eventfd, the thread
 * that is announced, its permit to go on, its interrupt status, the lock and the handle of the {@code PollSet}. A waker
 * may break off before each of its steps and never go on, as after a StackOverflowError. One who interrupts may be
 * late, so that the thread has dealt with its status long before.
 *
 * <p>A state breaks a rule in three cases. The selecting thread sleeps although a wakeup has returned that no selection
 * has taken, or an interrupt. A selection was woken, every wakeup had been taken before, and the status is not set.
 * Something is written to a descriptor that was closed.
 */
final class WakeupModel {
    /** How the wait of one selection is done. */
    enum Wait {
        /** Blocks in the mechanism until something comes. */
        BLOCK,
        /** As above, and its time may be over at any moment. */
        BLOCK_TIMED,
        /** Parks as a virtual thread. */
        PARK,
        PARK_TIMED;

        boolean isTimed() {
            return this == BLOCK_TIMED || this == PARK_TIMED;
        }

        boolean isParking() {
            return this == PARK || this == PARK_TIMED;
        }
    }

    /** Something in Pollux done wrongly; each must break a rule. */
    enum Fault {
        NONE, WAKE_CLEARS_BLOCKED, WAITS_NOT_COUNTED, SIGNALLED_WITHOUT_COMPARING, ENTER_WITHOUT_COMPARING,
        LEAVE_WITHOUT_EXCHANGE, STALE_EVENT_ENDS_WAIT, WAKER_TAKES_NO_LOCK, CLOSE_TAKES_NO_LOCK, REOPEN_TAKES_NO_LOCK,
        BLOCKED_WHILE_ANNOUNCED, PARKED_AFTER_WAKEUP_EVENT, PARKED_THOUGH_WOKEN, PERMIT_USED_UP,
        INTERRUPT_WAKES, INTERRUPT_NOT_LOOKED_FOR
    }

    /** The gate's bits, for faults in it. */
    private static final int BLOCKED = 1, NEXT = 4;

    private static final VarHandle WORD = word();

    /** Cells of a state. Each descriptor has two: whether it is open, and an event of it that was not reported yet. */
    private static final int GATE = 0, LOCK = 1, HANDLE = 2, OPEN = 3, EVENT = 6, ANNOUNCED = 9, PERMIT = 10,
            INTERRUPTED = 11, READY = 12, CLOSED = 13, AT = 14, SELECTION = 15, SEEN = 16, ENTERED = 17, RETURNS = 18,
            OLD = 19, INTERRUPTER = 20, FIRST_WAKER = 21;

    private static final List<String> NAMES = List.of("gate", "lock", "handle", "-", "open 1", "open 2", "-", "event 1",
            "event 2", "announced", "permit", "interrupted", "ready", "closed", "at", "selection", "seen", "entered",
            "returns", "old handle", "interrupter");

    /** Cells of a waker: where it is, its ticket, the handle that it has read, what became of its wakeup. */
    private static final int STEP = 0, TICKET = 1, WRITES_TO = 2, WAKEUP = 3, CELLS = 4;

    private static final byte PENDING = 1, TAKEN = 2;

    /** Steps of the selecting thread. */
    private static final int BEGIN = 0, POLL = 1, POLLED = 2, ANNOUNCE = 3, ENTER = 4, ENTER_CAS = 5, AWAIT = 6,
            PARKED = 7, POLL_AGAIN = 8, LEAVE = 9, LEAVE_WRITE = 10, RETRACT = 11, RETURN = 12, REOPEN = 13,
            REOPEN_LOCK = 14, REOPEN_SWAP = 15, REOPEN_CLOSE = 16, POLL_LEAVE = 17, GONE = 18, CHECK_STATUS = 19;

    /** Steps of one who interrupts; what comes after the last is a waker's. */
    private static final int STATUS = 0, HAS_STATUS = 1, HAS_UNPARKED = 2, LISTENED = 3, INTERRUPT_DONE = 4,
            SIGNALLING = 5;

    /** Steps of a waker, and those that one who closes the selector makes after them. */
    private static final int WAKE = 0, WHO_IS_PARKED = 1, UNPARK = 2, TAKE_LOCK = 3, READ_HANDLE = 4, WRITE = 5,
            UNLOCK = 6, SIGNALLED = 7, DONE = 8, BROKEN_OFF = 9, CLOSE_LOCK = 10, CLOSE_SWAP = 11, CLOSE_HANDLE = 12,
            CLOSE_DONE = 13;

    private final WakeupGate gate = new WakeupGate();
    private final List<Wait> waits;
    private final int wakers;
    private final Fault fault;

    /** The last waker closes the selector. */
    private boolean closes;
    private boolean interrupts;
    private boolean becomesReady;
    private boolean reopens;
    private boolean selectionsBreakOff;

    /** Every state that was reached, and the one it was reached from. */
    private final Map<State, State> reached = new HashMap<>();
    private final Deque<State> unexplored = new ArrayDeque<>();
    private State from;
    private String violation;

    /** A state of everything; only ever changed before it is {@link #add added}. */
    private record State(byte[] cells) {
        State copy() {
            return new State(cells.clone());
        }

        int get(int cell) {
            return cells[cell];
        }

        boolean is(int cell) {
            return cells[cell] != 0;
        }

        State set(int cell, int value) {
            cells[cell] = (byte) value;
            return this;
        }

        @Override
        public String toString() {
            StringBuilder text = new StringBuilder();
            for (int i = 0; i < cells.length; i++) {
                if (cells[i] != 0) {
                    int waker = i - FIRST_WAKER;
                    String name = waker < 0 ? NAMES.get(i) : "waker " + waker / CELLS + '.' + waker % CELLS;
                    text.append(name).append('=').append(cells[i]).append(' ');
                }
            }
            return text.toString();
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof State state && Arrays.equals(cells, state.cells);
        }

        @Override
        public int hashCode() {
            return Arrays.hashCode(cells);
        }
    }

    WakeupModel(Fault fault, int wakers, Wait... waits) {
        this.fault = fault;
        this.wakers = wakers;
        this.waits = List.of(waits);
    }

    /** The last of the wakers closes the selector: it wakes, and then waits until no selection is in progress. */
    WakeupModel closing() {
        closes = true;
        return this;
    }

    WakeupModel interrupting() {
        interrupts = true;
        return this;
    }

    /** A channel becomes ready. */
    WakeupModel becomingReady() {
        becomesReady = true;
        return this;
    }

    /** The kernel's object is replaced once, between two waits. */
    WakeupModel reopening() {
        reopens = true;
        return this;
    }

    /** A selection may break off, too, and leave gate and announcement as they are. */
    WakeupModel breakingSelectionsOff() {
        selectionsBreakOff = true;
        return this;
    }

    private static VarHandle word() {
        try {
            return MethodHandles.privateLookupIn(WakeupGate.class, MethodHandles.lookup())
                    .findVarHandle(WakeupGate.class, "state", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** The gate as it is in a state. */
    private WakeupGate gate(State state) {
        WORD.set(gate, state.get(GATE));
        return gate;
    }

    /** What the gate's word has become. */
    private int word(WakeupGate after) {
        return (int) WORD.get(after);
    }

    /** Goes through every state: what is wrong, and how it came about; null if no state breaks a rule. */
    String explore() {
        from = null;
        add(new State(new byte[interrupterAsWaker() + CELLS]).set(HANDLE, 1).set(OPEN + 1, 1));
        while (!unexplored.isEmpty() && violation == null) {
            from = unexplored.poll();
            select(from);
            for (int waker = 0; waker < wakers; waker++) {
                wake(from, FIRST_WAKER + waker * CELLS, closes && waker == wakers - 1);
            }
            if (becomesReady && !from.is(READY)) {
                add(from.copy().set(READY, 1));
            }
            if (interrupts) {
                interrupt(from);
            }
        }
        return violation;
    }

    /** The cells of one who interrupts, for steps that are a waker's. */
    private int interrupterAsWaker() {
        return FIRST_WAKER + wakers * CELLS;
    }

    int states() {
        return reached.size();
    }

    private void add(State state) {
        if (reached.putIfAbsent(state, from == null ? state : from) == null) {
            unexplored.add(state);
            if (violation == null && sleepsInSpiteOfWakeup(state)) {
                fail(state, "the selection sleeps, and a wakeup has returned");
            }
        }
    }

    private void fail(State state, String rule) {
        reached.putIfAbsent(state, from);
        List<String> steps = new ArrayList<>();
        for (State each = state; each != null; each = reached.get(each).equals(each) ? null : reached.get(each)) {
            steps.add(each.toString());
        }
        Collections.reverse(steps);
        violation = rule + ":\n" + String.join("\n", steps);
    }

    private boolean sleepsInSpiteOfWakeup(State state) {
        if (state.get(AT) != AWAIT && state.get(AT) != PARKED || canGoOn(state)) {
            return false;
        }
        for (int waker = FIRST_WAKER; waker < state.cells.length; waker += CELLS) {
            int step = state.get(waker + STEP);
            if (state.get(waker + WAKEUP) == PENDING && (step == DONE || step >= CLOSE_LOCK)) {
                return true;
            }
        }
        return state.is(INTERRUPTED) && (state.get(INTERRUPTER) == INTERRUPT_DONE
                || state.get(interrupterAsWaker() + STEP) == DONE);
    }

    /** Whether a thread that waits has a reason not to. */
    private boolean canGoOn(State state) {
        boolean parked = state.get(AT) == PARKED;
        return state.is(EVENT + state.get(HANDLE)) || state.is(READY) || wait(state).isTimed()
                || (parked ? state.is(PERMIT) || state.is(INTERRUPTED) : !state.is(ENTERED) || wait(state).isParking());
    }

    private Wait wait(State state) {
        return waits.get(state.get(SELECTION));
    }

    /** Adds what a state becomes when a thread goes to a step; the cells are pairs of a cell and its new value. */
    private void go(State state, int thread, int step, int... cells) {
        State next = state.copy().set(thread, step);
        for (int i = 0; i < cells.length; i += 2) {
            next.set(cells[i], cells[i + 1]);
        }
        add(next);
    }

    /** One step of the selecting thread. */
    private void select(State s) {
        if (s.get(AT) == GONE) {
            return;
        }
        if (selectionsBreakOff && s.get(AT) >= ANNOUNCE && s.get(AT) <= RETRACT) {
            add(end(s.copy()));
        }
        switch (s.get(AT)) {
            case BEGIN -> begin(s);
            case POLL -> go(s, AT, POLLED, EVENT + s.get(HANDLE), 0, RETURNS, s.get(READY));
            case POLLED -> go(s, AT, gate(s).isWoken() ? POLL_LEAVE : s.is(RETURNS) ? RETURN : ANNOUNCE);
            case ANNOUNCE -> announce(s);
            case ENTER -> go(s, AT, gate(s).isWoken() ? AWAIT : ENTER_CAS, SEEN, s.get(GATE), ENTERED, 0);
            case ENTER_CAS -> enter(s);
            case CHECK_STATUS -> go(s, AT, AWAIT, ENTERED, s.is(INTERRUPTED) ? 0 : s.get(ENTERED));
            case AWAIT -> await(s);
            case PARKED -> parked(s);
            case POLL_AGAIN -> go(s, AT, LEAVE, EVENT + s.get(HANDLE), 0, RETURNS, s.get(RETURNS) | s.get(READY));
            case LEAVE -> leave(s, wait(s).isParking() ? RETRACT : RETURN);
            case POLL_LEAVE -> leave(s, RETURN);
            case LEAVE_WRITE -> go(s, AT, RETRACT, GATE, s.get(SEEN) & -NEXT);
            case RETRACT -> go(s, AT, RETURN, ANNOUNCED, 0);
            case RETURN -> ret(s);
            default -> reopen(s);
        }
    }

    private void begin(State s) {
        if (s.get(SELECTION) == waits.size() || s.is(CLOSED)) {
            go(s, AT, GONE);
            return;
        }
        go(s, AT, POLL); // as a selection that is woken does, or one that expects events
        if (!gate(s).isWoken()) {
            go(s, AT, ANNOUNCE);
        }
    }

    private void announce(State s) {
        if (wait(s).isParking()) {
            go(s, AT, ENTER, ANNOUNCED, 1);
            go(s, AT, ENTER); // the first thread of all
        } else {
            go(s, AT, ENTER, ANNOUNCED, fault == Fault.BLOCKED_WHILE_ANNOUNCED ? s.get(ANNOUNCED) : 0);
        }
    }

    private void enter(State s) {
        WakeupGate entered = gate(s);
        int then = wait(s).isParking() || fault == Fault.INTERRUPT_NOT_LOOKED_FOR ? AWAIT : CHECK_STATUS;
        if (s.get(GATE) == s.get(SEEN) && entered.enter()) {
            int word = fault == Fault.WAITS_NOT_COUNTED ? s.get(SEEN) | BLOCKED : word(entered);
            go(s, AT, then, GATE, word, ENTERED, 1);
        } else if (fault == Fault.ENTER_WITHOUT_COMPARING) {
            go(s, AT, then, GATE, (s.get(SEEN) | BLOCKED) + NEXT, ENTERED, 1);
        } else {
            go(s, AT, AWAIT);
        }
    }

    private void await(State s) {
        boolean event = s.is(EVENT + s.get(HANDLE));
        if (wait(s).isParking()) {
            boolean mayPark = (s.is(ENTERED) || fault == Fault.PARKED_THOUGH_WOKEN) && !s.is(INTERRUPTED);
            boolean found = s.is(READY) || event && fault != Fault.PARKED_AFTER_WAKEUP_EVENT;
            go(s, AT, mayPark && !found ? PARKED : LEAVE, EVENT + s.get(HANDLE), 0, RETURNS, s.get(READY));
            return;
        }
        if (event || s.is(READY) || !s.is(ENTERED)) {
            int ends = event && fault == Fault.STALE_EVENT_ENDS_WAIT ? 2 : s.get(READY);
            go(s, AT, LEAVE, EVENT + s.get(HANDLE), 0, RETURNS, ends);
        }
        if (wait(s).isTimed()) {
            go(s, AT, LEAVE, RETURNS, 1);
        }
    }

    private void parked(State s) {
        if (s.is(PERMIT)) {
            go(s, AT, POLL_AGAIN, PERMIT, 0);
            if (fault == Fault.PERMIT_USED_UP) {
                go(s, AT, PARKED, PERMIT, 0);
            }
        }
        if (s.is(EVENT + s.get(HANDLE)) || s.is(READY) || s.is(INTERRUPTED)) {
            go(s, AT, POLL_AGAIN);
        }
        if (wait(s).isTimed()) {
            go(s, AT, POLL_AGAIN, RETURNS, 1);
        }
    }

    private void leave(State s, int then) {
        boolean interrupted = s.is(INTERRUPTED);
        WakeupGate left = gate(s);
        boolean woken = left.leave() || s.get(RETURNS) == 2;
        State next = s.copy().set(RETURNS, woken || interrupted || s.is(RETURNS) ? 1 : 0);
        if (fault == Fault.LEAVE_WITHOUT_EXCHANGE) {
            next.set(AT, LEAVE_WRITE).set(SEEN, s.get(GATE));
        } else {
            next.set(AT, then).set(GATE, word(left));
        }
        boolean taken = false;
        for (int waker = FIRST_WAKER; waker < s.cells.length; waker += CELLS) {
            if (woken && s.get(waker + WAKEUP) == PENDING) {
                next.set(waker + WAKEUP, TAKEN);
                taken = true;
            }
        }
        if (woken && !taken && !interrupted) {
            fail(next, "a selection was woken, and every wakeup had been taken before");
        }
        add(next);
    }

    private void ret(State s) {
        if (s.is(RETURNS)) {
            add(end(s.copy()));
            return;
        }
        go(s, AT, ANNOUNCE); // the event was stale: what is left of the time is waited for
        if (reopens && s.get(HANDLE) == 1) {
            go(s, AT, REOPEN);
        }
    }

    /** The application deals with what it was told, and selects again. */
    private static State end(State s) {
        for (int cell : new int[] {RETURNS, READY, SEEN, ENTERED, INTERRUPTED}) {
            s.set(cell, 0);
        }
        return s.set(AT, BEGIN).set(SELECTION, s.get(SELECTION) + 1);
    }

    private void reopen(State s) {
        int fresh = 2;
        boolean locks = fault != Fault.REOPEN_TAKES_NO_LOCK;
        switch (s.get(AT)) {
            case REOPEN -> go(s, AT, locks ? REOPEN_LOCK : REOPEN_SWAP, OPEN + fresh, 1);
            case REOPEN_LOCK -> {
                if (!s.is(LOCK)) {
                    go(s, AT, REOPEN_SWAP, LOCK, 1);
                }
            }
            case REOPEN_SWAP ->
                go(s, AT, REOPEN_CLOSE, OLD, s.get(HANDLE), HANDLE, fresh, LOCK, locks ? 0 : s.get(LOCK));
            default -> go(s, AT, ANNOUNCE, OPEN + s.get(OLD), 0, EVENT + s.get(OLD), 0);
        }
    }

    /** One step of a waker, or its last. */
    private void wake(State s, int me, boolean closing) {
        int step = s.get(me);
        if (step > WAKE && step < DONE && !closing) {
            go(s, me, BROKEN_OFF, LOCK, s.get(LOCK) == me ? 0 : s.get(LOCK));
        }
        boolean locks = fault != Fault.WAKER_TAKES_NO_LOCK;
        switch (step) {
            case WAKE -> call(s, me, closing);
            case WHO_IS_PARKED -> go(s, me, s.is(ANNOUNCED) ? UNPARK : locks ? TAKE_LOCK : READ_HANDLE);
            case UNPARK -> go(s, me, SIGNALLED, PERMIT, 1);
            case TAKE_LOCK -> {
                if (!s.is(LOCK)) {
                    go(s, me, READ_HANDLE, LOCK, me);
                }
            }
            case READ_HANDLE -> go(s, me, s.is(HANDLE) ? WRITE : UNLOCK, me + WRITES_TO, s.get(HANDLE));
            case WRITE -> write(s, me);
            case UNLOCK -> go(s, me, SIGNALLED, LOCK, locks ? 0 : s.get(LOCK), me + WRITES_TO, 0);
            case SIGNALLED -> signalled(s, me, closing);
            default -> close(s, me);
        }
    }

    private void call(State s, int me, boolean closing) {
        if (me > FIRST_WAKER && s.get(me - CELLS) == WAKE && !closing) {
            return; // wakers are alike, so one order of their beginnings stands for all
        }
        WakeupGate woken = gate(s);
        int ticket = woken.wake();
        int word = fault == Fault.WAKE_CLEARS_BLOCKED ? word(woken) & ~BLOCKED : word(woken);
        int step = ticket != 0 ? WHO_IS_PARKED : closing ? CLOSE_LOCK : DONE;
        State next = s.copy().set(me, step).set(GATE, word).set(me + TICKET, ticket).set(me + WAKEUP, PENDING);
        add(next.set(CLOSED, closing ? 1 : s.get(CLOSED)));
    }

    private void write(State s, int me) {
        int handle = s.get(me + WRITES_TO);
        if (!s.is(OPEN + handle)) {
            fail(s, "a waker writes to a descriptor that was closed");
        }
        go(s, me, UNLOCK, EVENT + handle, 1);
    }

    private void signalled(State s, int me, boolean closing) {
        WakeupGate signalled = gate(s);
        signalled.signalled(s.get(me + TICKET));
        int word = fault == Fault.SIGNALLED_WITHOUT_COMPARING ? s.get(GATE) & ~BLOCKED : word(signalled);
        go(s, me, closing ? CLOSE_LOCK : DONE, GATE, word, me + TICKET, 0);
    }

    /** Steps of the thread that closes, after its wakeup. */
    private void close(State s, int me) {
        boolean locks = fault != Fault.CLOSE_TAKES_NO_LOCK;
        boolean selecting = s.get(AT) != BEGIN && s.get(AT) != GONE;
        switch (s.get(me)) {
            case CLOSE_LOCK -> {
                if (!selecting && !(locks && s.is(LOCK))) {
                    go(s, me, CLOSE_SWAP, LOCK, locks ? me : s.get(LOCK));
                }
            }
            case CLOSE_SWAP -> go(s, me, CLOSE_HANDLE, OLD, s.get(HANDLE), HANDLE, 0, LOCK, locks ? 0 : s.get(LOCK));
            case CLOSE_HANDLE -> go(s, me, CLOSE_DONE, OPEN + s.get(OLD), 0, EVENT + s.get(OLD), 0);
            default -> {
            }
        }
    }

    /** One step of Thread.interrupt: the status, a virtual thread's permit, and the call of whoever listens, if any. */
    private void interrupt(State s) {
        switch (s.get(INTERRUPTER)) {
            case STATUS -> go(s, INTERRUPTER, HAS_STATUS, INTERRUPTED, 1);
            case HAS_STATUS -> go(s, INTERRUPTER, HAS_UNPARKED, PERMIT, 1);
            case HAS_UNPARKED -> go(s, INTERRUPTER, listens(s) ? LISTENED : INTERRUPT_DONE);
            case LISTENED -> onInterrupt(s);
            case SIGNALLING -> wake(s, interrupterAsWaker(), false);
            default -> {
            }
        }
    }

    /** Whether the selecting thread is where an interrupt calls the selector. */
    private boolean listens(State s) {
        int at = s.get(AT);
        boolean waits = at >= ENTER && at <= AWAIT || at == CHECK_STATUS || at == LEAVE;
        return waits && !wait(s).isParking();
    }

    private void onInterrupt(State s) {
        WakeupGate asked = gate(s);
        boolean signals = asked.isBlocked();
        State next = s.copy();
        if (fault == Fault.INTERRUPT_WAKES) {
            int ticket = asked.wake();
            signals = ticket != 0;
            next.set(GATE, word(asked)).set(interrupterAsWaker() + TICKET, ticket);
        }
        next.set(interrupterAsWaker() + STEP, signals ? WHO_IS_PARKED : WAKE);
        add(next.set(INTERRUPTER, signals ? SIGNALLING : INTERRUPT_DONE));
    }
}
