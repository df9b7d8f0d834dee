// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.poller;

import dev.pollux.internal.count.Loop;
import dev.pollux.internal.count.LoopStatistics;
import dev.pollux.internal.count.Loops;
import dev.pollux.internal.count.Printable;
import dev.pollux.internal.jdk.VirtualThreads;
import dev.pollux.internal.loop.WaitStrategy;
import dev.pollux.internal.pollset.PollSet;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * Hands out members that are ready, one at a time, to the threads that wait for them. {@link Turns} decides which
 * thread waits in the mechanism. {@link MemberChanges} says what is waited for. Safe for use by many threads: guarded
 * by the leadership's monitor. {@link #await} does not allocate.
 */
public final class Multiplexer implements Loop {
    private final PollSet pollSet;
    private final MemberTable members;
    private final MemberRegistrations registrations;
    private final ReadyQueue ready;
    private final Leadership leadership;
    private final PollableDescriptor descriptor;
    private final Turns turns;
    private final MemberChanges changes;

    private Multiplexer(PollSet pollSet, int capacity, Supplier<RuntimeException> closedException) {
        this.pollSet = pollSet;
        this.members = new MemberTable(capacity);
        this.registrations = new MemberRegistrations(pollSet, members);
        this.ready = new ReadyQueue(pollSet, registrations);
        this.leadership = new Leadership(pollSet, closedException);
        this.descriptor = new PollableDescriptor(pollSet);
        this.turns = new Turns(pollSet, members, registrations, ready, leadership, descriptor);
        this.changes = new MemberChanges(pollSet, members, registrations, leadership);
    }

    /** {@return this class and those behind it that have an initialiser, or are not loaded before they are needed} */
    public static List<Class<?>> usedLater() {
        List<Class<?>> all = new ArrayList<>(List.of(Multiplexer.class, Leadership.class, MemberChanges.class,
                MemberState.class, Awaiter.class, Turns.class, Printable.class));
        all.addAll(PollSet.usedLater());
        all.addAll(WaitStrategy.usedLater());
        all.addAll(VirtualThreads.usedLater());
        return all;
    }

    /** Opens one, for up to {@code capacity} members; a mechanism that is null is the best one of this platform. */
    public static Multiplexer open(String mechanism, int capacity, Supplier<RuntimeException> closedException)
            throws IOException {
        PollSet pollSet = PollSet.open(mechanism);
        try {
            Multiplexer opened = new Multiplexer(pollSet, capacity, closedException);
            Loops.add(opened);
            return opened;
        } catch (RuntimeException | Error e) {
            pollSet.close();
            throw e;
        }
    }

    public MemberChanges changes() {
        return changes;
    }

    @Override
    public String kind() {
        return "Poller";
    }

    @Override
    public String mechanism() {
        return pollSet.name();
    }

    @Override
    public LoopStatistics statistics() {
        return pollSet.statistics();
    }

    @Override
    public int size() {
        return members.size();
    }

    @Override
    public boolean isReadable() {
        return pollSet.isReadable();
    }

    @Override
    public boolean isWoken() {
        return turns.woken;
    }

    @Override
    public String gate() {
        return !isOpen() ? ""
                : (isWoken() ? "the next await returns; leader " : "leader ") + leadership.gate.describe(pollSet);
    }

    public boolean supportsEdge() {
        return pollSet.supportsEdge();
    }

    /**
     * Gives the next ready member to a thread; one that it holds and has not begun with is given back first.
     *
     * @param nanos how long to wait: negative for ever, 0 not at all, else at least that long
     * @return false if the time was over, or this thread was interrupted, or there was a wakeup
     */
    public boolean await(Awaiter awaiter, long nanos) throws IOException {
        returnUnfinished(awaiter);
        awaiter.wantOne();
        return turns.await(awaiter, nanos) != 0;
    }

    /** Writes ready members into arrays, and returns how many; otherwise as {@link #await(Awaiter, long)}. */
    public int await(Awaiter awaiter, int[] descriptors, short[] events, long nanos) throws IOException {
        returnUnfinished(awaiter);
        awaiter.wantSeveral(descriptors, events, Math.min(descriptors.length, events.length));
        try {
            return turns.await(awaiter, nanos);
        } finally {
            awaiter.wantOne(); // the arrays are the caller's again
        }
    }

    /**
     * As {@link #await(Awaiter, long)}, but without waiting, and only of what was fetched in the round in which the
     * thread's await returned; a handler may have begun another one since, by an await of its own.
     */
    public boolean next(Awaiter awaiter, long round) {
        returnUnfinished(awaiter);
        awaiter.wantOne();
        synchronized (leadership) {
            if (leadership.closed || ready.isEmpty() || round != members.round) {
                return false;
            }
            turns.takeRest(awaiter);
            return awaiter.count != 0;
        }
    }

    /** Whether a thread has a member to begin with: the one that it was given, or else the {@link #next} one. */
    public boolean hasNext(Awaiter awaiter) {
        synchronized (leadership) {
            return awaiter.isUnfinished() || next(awaiter, awaiter.round());
        }
    }

    /** Takes back a member that a thread was given and has not begun with: it will be reported again. */
    private void returnUnfinished(Awaiter awaiter) {
        if (awaiter.member != null) {
            synchronized (leadership) {
                if (!leadership.closed && awaiter.isUnfinished()) {
                    changes.takeBack(awaiter.member, awaiter.events());
                }
            }
            awaiter.begin();
        }
    }

    public void wakeup() {
        synchronized (leadership) {
            if (!leadership.closed) {
                turns.wakeup();
            }
        }
    }

    /** As {@link PollableDescriptor}; -1 if there is none. */
    public int descriptor() throws IOException {
        synchronized (leadership) {
            leadership.requireOpen();
            if (pollSet.handle() >= 0) {
                leadership.expectOutsiders();
            }
            return descriptor.number();
        }
    }

    @Override
    public String toString() {
        synchronized (leadership) {
            return "Poller[" + pollSet.name() + ", "
                    + (leadership.closed ? "closed" : members.size() + " members") + ']';
        }
    }

    public boolean isOpen() {
        return !leadership.closed;
    }

    /** Any thread, without the monitor. */
    public void requireOpen() {
        leadership.requireOpen();
    }

    public void close() {
        Loops.remove(this);
        synchronized (leadership) { // a second call does what one that broke off has left undone
            leadership.close();
            turns.promoteFollower();
            members.clear();
            registrations.clear();
            pollSet.close();
            descriptor.close();
        }
    }
}
