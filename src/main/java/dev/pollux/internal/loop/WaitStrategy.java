// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.loop;

import dev.pollux.internal.count.Counter;
import dev.pollux.internal.count.LoopStatistics;
import dev.pollux.internal.jdk.VirtualThreads;
import dev.pollux.internal.pollset.Awaitable;
import dev.pollux.internal.pollset.PollSet;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * How a thread waits. It polls once without preparations, if lately that found events at once ({@link PollFirst}); it
 * polls for a while, if it is asked to; else it blocks, or parks if it is a virtual thread. One wait is {@link
 * #begin}, {@link #await}, and as long as that brought nothing of interest and {@link #goesOn}, {@code await} again.
 * Thread-safety: {@link #wake} is for any thread, the rest for the one that waits. Allocates for the first wait that
 * blocks, and for the first of a virtual thread.
 */
public final class WaitStrategy {
    /** Ways to wait. Not an enum: its initialiser could fail for lack of memory, and never runs again. */
    private static final int POLL = 0, BLOCK = 1, BUSY_POLL = 2;

    /** Instead of a way: no thread has waited yet. */
    private static final int UNUSED = 3;

    /** Instead of a number of entries, and negative as for a wait that ended early: the thread could not be parked. */
    private static final int UNPARKABLE = -2;

    /**
     * For how long a virtual thread blocks its carrier without asking for a substitute again. A substitute that has run
     * nothing for 30 s ends, and the JDK starts no other one while the thread stays blocked (JDK-8389671). To ask again
     * has one go on.
     */
    private static final long MAX_BLOCK_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** The state of a {@link WakeupGate}; null before it was found. */
    private static volatile VarHandle gateState;

    private final PollSet mechanism;
    private final Awaitable source;
    private final WakeupGate gate;
    private final PollFirst pollFirst = new PollFirst();
    private final AdaptiveBackoff busyPoll;

    /** Made for the first wait of a virtual thread that may park; null before. Wakers read it. */
    private volatile VirtualWait virtualWait;

    /** Made for the first wait that blocks; null before. */
    private Interruption interruption;

    /** How the next {@link #await} waits. */
    private int way = UNUSED;

    /** Whether the last {@link #await} was ended by a wakeup or an interrupt. */
    private boolean woken;

    /** Whether it has blocked or parked this thread, or only polled since a wakeup came first. */
    private boolean hasBlocked;

    /** How long this wait may take, what is left of that, and when it is over. Negative: for ever. */
    private long timeout;
    private long left;
    private long deadline;

    /** How long this wait may poll before it blocks, and when that is over. */
    private long busyPolling;
    private long busyPollDeadline;

    /** Waits for the source: the mechanism, which is signalled to end a wait, or what waits for it and for others. */
    public WaitStrategy(PollSet mechanism, Awaitable source, WakeupGate gate, AdaptiveBackoff busyPoll) {
        this.mechanism = mechanism;
        this.source = source;
        this.gate = gate;
        this.busyPoll = busyPoll;
    }

    /** {@return the classes behind this one that are not loaded before they are needed} */
    public static List<Class<?>> usedLater() {
        return List.of(Deadline.class, Interruption.class);
    }

    /** Finds it once. Not by an initialiser, which could fail for lack of stack, and never runs again. */
    public static VarHandle gateState() {
        if (gateState == null) {
            try {
                gateState = MethodHandles.privateLookupIn(WakeupGate.class, MethodHandles.lookup())
                        .findVarHandle(WakeupGate.class, "state", int.class);
            } catch (ReflectiveOperationException e) {
                throw new AssertionError(e); // it is ours
            }
        }
        return gateState;
    }

    /** Begins a wait of up to {@code nanos}, negative for ever; only a poll if something was {@code found} already. */
    public void begin(long nanos, boolean found) {
        if (way >= BUSY_POLL) {
            endLastWait();
        }
        woken = false;
        timeout = nanos;
        if (nanos == 0 || found || gate.isWoken() || pollFirst.isWorthwhile()) {
            way = POLL;
        } else {
            beginLongWait();
        }
    }

    private void endLastWait() {
        if (way == BUSY_POLL) {
            busyPoll.onAttempt(true); // that wait found something, and so it did not go on
        } else {
            mechanism.statistics().onFirstUse(gate.isOneThread());
        }
    }

    private void beginLongWait() {
        left = timeout;
        deadline = Deadline.after(timeout);
        busyPolling = VirtualThreads.isVirtual() ? 0 : busyPoll.nanos();
        busyPollDeadline = Deadline.after(busyPolling);
        way = busyPolling == 0 ? BLOCK : BUSY_POLL;
    }

    /**
     * Waits until there are events, or a wakeup, or the time is over, or for no reason: a signal ends a wait early, and
     * so does a waker that signals late.
     *
     * @return the number of entries
     */
    public int await() throws IOException {
        return way == BLOCK ? blockOrPark() : poll();
    }

    /** After an {@link #await} that brought nothing of interest: whether there is to be another one. */
    public boolean goesOn() {
        if (woken || timeout == 0) {
            return false;
        }
        if (way == POLL) {
            pollFirst.failed();
            beginLongWait();
        } else {
            left = Deadline.left(timeout, deadline);
            if (way == BUSY_POLL) {
                goOnPolling();
            }
        }
        return left != 0;
    }

    private void goOnPolling() {
        if (left != 0 && Deadline.left(busyPolling, busyPollDeadline) != 0) {
            Thread.onSpinWait();
        } else {
            busyPoll.onAttempt(false);
            way = BLOCK;
        }
    }

    private int poll() throws IOException {
        int n;
        do {
            n = source.await(0);
        } while (n == Awaitable.INTERRUPTED);
        woken = gate.isWoken() && gate.leave();
        if (woken) {
            mechanism.statistics().add(Counter.WAKEUPS, 1);
        }
        return n;
    }

    private int blockOrPark() throws IOException {
        hasBlocked = false;
        LoopStatistics statistics = mechanism.statistics();
        statistics.onBlock();
        try {
            return Math.max(VirtualThreads.isVirtual() ? waitInVirtualThread() : block(left), 0);
        } finally {
            statistics.onResume(hasBlocked);
            if (woken) {
                statistics.add(Counter.WAKEUPS, 1);
            }
        }
    }

    private int block(long nanos) throws IOException {
        if (virtualWait != null) {
            virtualWait.retract(); // an error may have kept a virtual thread from doing so
        }
        if (interruption == null) {
            interruption = new Interruption(this);
        }
        try {
            interruption.listen();
            hasBlocked = gate.enter() && !Thread.currentThread().isInterrupted(); // not before: else one is missed
            return source.await(hasBlocked ? nanos : 0);
        } finally {
            woken = gate.leave() | Thread.currentThread().isInterrupted();
            interruption.ignore();
        }
    }

    /**
     * Parks this virtual thread, or blocks its carrier while {@link VirtualWait} says that this pays. Where the source
     * has no descriptor that could be waited for, or the JDK no way to, the carrier is always blocked.
     */
    private int waitInVirtualThread() throws IOException {
        int handle = source.handle();
        if (handle < 0 || !VirtualThreads.canPark()) {
            return blockCarrier();
        }
        if (virtualWait == null) {
            virtualWait = new VirtualWait();
        }
        long blocking = virtualWait.beginBlocking();
        if (blocking != 0) {
            return blockCarrierFor(left < 0 ? blocking : Math.min(left, blocking));
        }
        int n = park(handle);
        return n == UNPARKABLE && !woken ? blockCarrier() : n;
    }

    private int blockCarrier() throws IOException {
        long compensation = VirtualThreads.beginBlocking();
        try {
            return block(left < 0 ? MAX_BLOCK_NANOS : Math.min(left, MAX_BLOCK_NANOS));
        } finally {
            VirtualThreads.endBlocking(compensation);
        }
    }

    private int blockCarrierFor(long nanos) throws IOException {
        int n = 0;
        try {
            n = block(nanos);
        } finally {
            virtualWait.endBlocking(n > 0 && !woken);
        }
        return n;
    }

    private int park(int handle) throws IOException {
        try {
            virtualWait.announce(); // before the gate says that it blocks, so that a waker finds this thread
            boolean mayPark = gate.enter() && !Thread.currentThread().isInterrupted();
            hasBlocked = mayPark && virtualWait.yieldFirst(gate);
            int n = source.await(0);
            if (n == 0 && mayPark && !hasBlocked) {
                hasBlocked = true;
                n = virtualWait.park(handle, left) ? source.await(0) : UNPARKABLE;
            }
            return n;
        } finally {
            woken = gate.leave() | Thread.currentThread().isInterrupted();
            virtualWait.retract();
        }
    }

    /** Ends the wait in progress. Only if a thread blocks or is about to, for it costs a system call. */
    public void wake() {
        VirtualWait virtual = virtualWait;
        if (virtual == null || !virtual.unpark()) {
            mechanism.wakeup();
        }
    }

    /**
     * A thread that waited was interrupted: has it look at its interrupt status, if it is in a wait. Any thread, with a
     * lock of the interrupted one held (JDK 17), or without and perhaps late (JDK 25): the thread may have left, dealt
     * with the interrupt, and come again. So this does not count as a wakeup.
     */
    void onInterrupt() {
        if (gate.isBlocked()) {
            wake();
        }
    }
}
