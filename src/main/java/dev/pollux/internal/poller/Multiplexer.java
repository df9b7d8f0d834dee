// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.poller;

import dev.pollux.internal.pollset.Deadline;
import dev.pollux.internal.jdk.VirtualThreads;
import dev.pollux.internal.pollset.PollSet;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/**
 * Lets threads wait for members. One of them, the leader, waits in the mechanism, without the monitor; what it fetched
 * is handed out, under the monitor, to itself and to the followers, one member at a time, and nobody leads before all
 * of that has been.
 *
 * <p>Safe for use by many threads: every field is guarded by the leadership's monitor, which is held for a few
 * instructions and system calls that do not block. {@link #await} does not allocate.
 */
public final class Multiplexer {
    /** What a thread does next: return, lead and look or wait in the mechanism, or wait for its turn. */
    private static final int RETURN = 0, LOOK = 1, LEAD = 2, FOLLOW = 3;

    /** Instead of a number of entries: this thread was not in the mechanism. */
    private static final int NOT_LEADING = -1;

    private final PollSet pollSet;
    private final MemberTable members;
    private final MemberRegistrations registrations;
    private final ReadyQueue ready;
    private final Leadership leadership;
    private final MemberChanges changes;

    /** Threads that wait for their turn. The latest is promoted first: its caches are warm. */
    private final ArrayList<Awaiter> followers = new ArrayList<>();

    /** A follower that was unparked and has not arrived; it will promote the next one. */
    private Awaiter promoted;

    /** There was a {@link #wakeup} that no thread has taken. */
    private boolean woken;

    /** There were changes while a thread led, and none has led since: the mechanism may not have made them yet. */
    private boolean unseen;

    /**
     * Where the kernel's object can be replaced, its descriptor is not the one to give away: this set watches it, and
     * has a descriptor that stays. Null until somebody asks for one.
     */
    private PollSet facade;

    /** What the facade watches. */
    private int watchedByFacade;

    private Multiplexer(PollSet pollSet, int capacity, Supplier<RuntimeException> closedException) {
        this.pollSet = pollSet;
        this.members = new MemberTable(capacity);
        this.registrations = new MemberRegistrations(pollSet, members);
        this.ready = new ReadyQueue(pollSet, registrations);
        this.leadership = new Leadership(pollSet, closedException);
        this.changes = new MemberChanges(pollSet, members, registrations, leadership,
                new RefusalReasons(pollSet, capacity));
    }

    /** {@return this class and those behind it that have an initialiser, or are not loaded before they are needed} */
    public static List<Class<?>> usedLater() {
        List<Class<?>> all = new ArrayList<>(List.of(Multiplexer.class, Leadership.class, MemberChanges.class,
                MemberState.class, Awaiter.class));
        all.addAll(PollSet.usedLater());
        all.addAll(VirtualThreads.usedLater());
        return all;
    }

    /**
     * Opens one.
     *
     * @param mechanism       its name, or null for the best one of this platform
     * @param capacity        how many members there may be
     * @param closedException what to throw when closed
     * @throws IOException if the mechanism can't be opened
     */
    public static Multiplexer open(String mechanism, int capacity, Supplier<RuntimeException> closedException)
            throws IOException {
        return new Multiplexer(PollSet.open(mechanism), capacity, closedException);
    }

    /** What is waited for. */
    public MemberChanges changes() {
        return changes;
    }

    /** The mechanism that really runs. */
    public String mechanism() {
        return pollSet.name();
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
        giveBack(awaiter);
        awaiter.wantOne();
        return await0(awaiter, nanos) != 0;
    }

    /**
     * Writes ready members into arrays; otherwise as {@link #await(Awaiter, long)}.
     *
     * @return how many
     */
    public int await(Awaiter awaiter, int[] descriptors, short[] events, int most, long nanos) throws IOException {
        giveBack(awaiter);
        awaiter.wantSeveral(descriptors, events, most);
        try {
            return await0(awaiter, nanos);
        } finally {
            awaiter.forgetArrays();
        }
    }

    /** What was given before an error counts, and the error is not thrown: it would come again. */
    private int await0(Awaiter awaiter, long nanos) throws IOException {
        try {
            takeTurns(awaiter, nanos);
        } catch (Throwable t) {
            // No call before this: there may be no stack for one. The next thread does what is left.
            synchronized (leadership) {
                awaiter.queued = false;
                promoted = promoted == awaiter ? null : promoted;
                if (leadership.leader == awaiter) {
                    leadership.abandoned = true;
                    leadership.leader = null;
                }
            }
            if (awaiter.count == 0) {
                standIn();
                throw t;
            }
        }
        return awaiter.count;
    }

    private void takeTurns(Awaiter awaiter, long nanos) throws IOException {
        long deadline = Deadline.after(nanos);
        long left = nanos;
        boolean last = false;
        int count = NOT_LEADING;
        while (true) {
            int turn = turn(awaiter, count, last);
            if (turn == RETURN) {
                return;
            }
            long time = turn == LOOK || Thread.currentThread().isInterrupted() ? 0 : left;
            count = turn == FOLLOW ? follow(time) : leadership.fetch(time);
            left = Deadline.left(nanos, deadline);
            last = left == 0 || Thread.currentThread().isInterrupted();
        }
    }

    /**
     * Decides what this thread does next.
     *
     * @param count how many entries it has brought from the mechanism, or {@link #NOT_LEADING}
     * @param last  whether it is to return even if nothing is ready
     */
    private int turn(Awaiter awaiter, int count, boolean last) throws IOException {
        synchronized (leadership) {
            try {
                if (count != NOT_LEADING) {
                    resign(count);
                }
                standInForTheAbandoned();
                if (awaiter.queued) {
                    followers.remove(awaiter);
                    awaiter.queued = false;
                }
                promoted = promoted == awaiter ? null : promoted;
                leadership.requireOpen();
                ready.take(awaiter, followers.size());
                awaiter.round = members.round();
                return decide(awaiter, count != NOT_LEADING, last);
            } finally {
                promoteFollower();
            }
        }
    }

    /** A wakeup ends an await, but not before it has looked: else who is always woken would never see anything. */
    private int decide(Awaiter awaiter, boolean looked, boolean last) throws IOException {
        boolean led = leadership.hasLeader();
        if (awaiter.count == 0 && awaiter.failure != null) {
            throw awaiter.failure;
        }
        if (awaiter.count > 0 || last || woken && looked) {
            woken &= led; // the leader was woken by it
            return RETURN;
        }
        return led ? queue(awaiter) : lead(awaiter);
    }

    private int queue(Awaiter awaiter) {
        awaiter.thread = Thread.currentThread();
        awaiter.queued = true;
        followers.add(awaiter);
        return FOLLOW;
    }

    /** Where the kernel's object must be replaced and can't, what is ready is still looked for. */
    private int lead(Awaiter awaiter) {
        registrations.makePostponed(); // of a leader that broke off in the middle of them
        try {
            registrations.repair();
            updateFacade();
        } catch (IOException e) {
            awaiter.failure = e;
        }
        members.beginRound();
        unseen = false;
        leadership.lead(awaiter);
        return woken || awaiter.failure != null || registrations.hasRefused() ? LOOK : LEAD;
    }

    private void updateFacade() throws IOException {
        if (facade != null && watchedByFacade != pollSet.handle()) {
            int code = facade.add(pollSet.handle(), 0, PollSet.IN);
            if (code != 0) {
                throw facade.refusal("the descriptor of a Poller", code);
            }
            watchedByFacade = pollSet.handle();
        }
    }

    /** The leader comes out of the mechanism with so many entries. */
    private void resign(int count) {
        assert Thread.holdsLock(leadership);
        leadership.resign();
        ready.put(count);
        unseen |= registrations.makePostponed();
    }

    /** Does what a leader that broke off has left undone. */
    private void standIn() {
        synchronized (leadership) {
            standInForTheAbandoned();
            promoteFollower();
        }
    }

    private void standInForTheAbandoned() {
        assert Thread.holdsLock(leadership);
        if (leadership.abandoned) {
            resign(pollSet.entries().fetched());
        }
    }

    /** Nobody is left to wait for a turn that nobody takes. */
    private void promoteFollower() {
        assert Thread.holdsLock(leadership);
        boolean done = leadership.hasLeader() || promoted != null;
        while (!done && !followers.isEmpty()) {
            Awaiter follower = followers.get(followers.size() - 1);
            if (follower.queued) { // else its thread broke off
                LockSupport.unpark(follower.thread);
                follower.queued = false; // after it was unparked: an error must not make it wait for ever
                promoted = follower;
                done = true;
            }
            followers.remove(followers.size() - 1);
        }
        if (!done && (unseen || !ready.isEmpty() || registrations.hasRefused())) {
            leadership.wakeLeader(); // there is none, but who waits for the descriptor must come for the rest
        }
    }

    /**
     * As {@link #await(Awaiter, long)}, but only of what was fetched in one round, and without waiting.
     *
     * @param round the thread's round when its await returned; a handler may have begun another one since, by an await
     *     of its own
     */
    public boolean next(Awaiter awaiter, long round) {
        giveBack(awaiter);
        awaiter.wantOne();
        synchronized (leadership) {
            if (leadership.isClosed() || ready.isEmpty() || round != members.round()) {
                return false;
            }
            ready.take(awaiter, followers.size());
            promoteFollower();
            return awaiter.count != 0;
        }
    }

    /**
     * Whether a thread has a member to begin with: the one that it was given, unless another thread has changed that
     * meanwhile, or else the {@link #next} one.
     */
    public boolean hasNext(Awaiter awaiter) {
        synchronized (leadership) {
            return awaiter.isUnfinished() || next(awaiter, awaiter.round());
        }
    }

    /** Waits for a turn, or until there may be something to take. */
    private int follow(long nanos) {
        if (nanos < 0) {
            LockSupport.park(this);
        } else if (nanos > 0) {
            LockSupport.parkNanos(this, nanos);
        }
        return NOT_LEADING;
    }

    /** Takes back a member that a thread was given and has not begun with: it will be reported again. */
    public void giveBack(Awaiter awaiter) {
        if (awaiter.given() != null) {
            takeBack(awaiter);
            awaiter.begin();
        }
    }

    private void takeBack(Awaiter awaiter) {
        synchronized (leadership) {
            MemberState member = awaiter.given();
            if (leadership.isClosed() || !awaiter.isUnfinished()) {
                return;
            }
            if (registrations.takeBack(member, awaiter.events())) {
                int code = changes.change(member);
                if (code != 0) {
                    registrations.refuse(member, code);
                }
            }
            if (registrations.hasRefused()) {
                leadership.wakeLeader();
            }
        }
    }

    /** Ends one await: one in progress, or else the next. */
    public void wakeup() {
        synchronized (leadership) {
            if (!leadership.isClosed()) {
                woken = true;
                leadership.wakeLeader();
            }
        }
    }

    /** A descriptor that polls readable when an await may find something, -1 if there is none. */
    public int descriptor() throws IOException {
        synchronized (leadership) {
            leadership.requireOpen();
            int handle = pollSet.handle();
            if (handle >= 0) {
                leadership.expectOutsiders();
            }
            if (handle < 0 || !pollSet.isLive()) {
                return handle;
            }
            if (facade == null) {
                facade = PollSet.open(pollSet.name());
                watchedByFacade = -1;
            }
            updateFacade();
            return facade.handle();
        }
    }

    @Override
    public String toString() {
        synchronized (leadership) {
            return "Poller[" + pollSet.name() + ", "
                    + (leadership.isClosed() ? "closed" : members.size() + " members") + ']';
        }
    }

    public boolean isOpen() {
        return !leadership.isClosed();
    }

    /** Ends every await with an exception, and gives everything back. */
    public void close() {
        synchronized (leadership) { // a second call does what one that broke off has left undone
            leadership.close();
            promoteFollower();
            members.clear();
            registrations.clear();
            pollSet.close();
            if (facade != null) {
                facade.close();
            }
        }
    }
}
