// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.poller;

import dev.pollux.internal.pollset.PollSet;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/**
 * Lets threads wait for members. One of them is inside the mechanism at a time, without the monitor; what it fetched is handed
 * out, under the monitor, to itself and to those that wait for their turn, and nobody goes in before all of that has been.
 *
 * <p>Safe for use by many threads: every field is guarded by the entrance's monitor, which is held for a few instructions and
 * system calls that do not block. {@link #await} does not allocate.
 */
public final class Multiplexer {
    /** What a thread does next: return, go into the mechanism and look or wait there, or wait for its turn. */
    private static final int RETURN = 0, LOOK = 1, LEAD = 2, FOLLOW = 3;

    /** Instead of a number of entries: this thread was not in the mechanism. */
    private static final int NOT_INSIDE = -1;

    /**
     * How much a thread that does not say how much it wants is given at a time: others that come while it works shall find
     * something.
     */
    private static final int PORTION = 8;

    private final PollSet pollSet;
    private final Members members;
    private final Watch watch;
    private final Fetched fetched;
    private final Entrance entrance;
    private final Membership membership;

    /** Threads that wait for their turn, the latest first: its caches are warm. */
    private final ArrayDeque<Batch> followers = new ArrayDeque<>();

    /** There was a {@link #wakeup} that no thread has taken. */
    private boolean woken;

    private Multiplexer(PollSet pollSet, int capacity, Supplier<RuntimeException> closedException) {
        this.pollSet = pollSet;
        this.members = new Members(capacity);
        this.watch = new Watch(pollSet, members);
        this.fetched = new Fetched(pollSet, watch);
        this.entrance = new Entrance(pollSet, closedException);
        this.membership = new Membership(pollSet, members, watch, entrance);
    }

    /** {@return the classes behind this one that have an initialiser} Opening one runs them, where it can't fail. */
    public static List<Class<?>> initialized() {
        return List.of(Multiplexer.class, Entrance.class, Membership.class);
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
    public Membership membership() {
        return membership;
    }

    /** The mechanism that really runs. */
    public String mechanism() {
        return pollSet.name();
    }

    public boolean knowsEdges() {
        return pollSet.supportsEdge();
    }

    /** As {@link #await(Batch, int, long)}, with a portion of what is ready; {@link #refill} has the rest. */
    public void await(Batch batch, long nanos) throws IOException {
        await(batch, PORTION, nanos);
    }

    /**
     * Fills a batch with ready members; first gives back what it still holds. It stays empty if the time was over, or this thread
     * was interrupted, or there was a wakeup.
     *
     * @param most  how many entries the batch may get
     * @param nanos how long to wait: negative for ever, 0 not at all, else at least that long
     */
    public void await(Batch batch, int most, long nanos) throws IOException {
        giveBack(batch);
        boolean complete = false;
        try {
            takeTurns(batch, most, nanos);
            complete = true;
        } finally {
            if (!complete) {
                // No call before this: there may be no stack for one. The next thread does what is left.
                synchronized (entrance) {
                    batch.queued = false;
                    if (entrance.inside == batch) {
                        entrance.abandoned = true;
                        entrance.inside = null;
                    }
                }
                standIn();
                giveBack(batch);
            }
        }
    }

    private void takeTurns(Batch batch, int most, long nanos) throws IOException {
        long deadline = nanos > 0 ? System.nanoTime() + nanos : 0;
        long left = nanos;
        boolean last = false;
        int count = NOT_INSIDE;
        while (true) {
            int turn = turn(batch, most, count, last);
            if (turn == RETURN) {
                return;
            }
            long time = turn == LOOK || Thread.currentThread().isInterrupted() ? 0 : left;
            count = turn == FOLLOW ? follow(time) : entrance.fetch(time);
            left = nanos > 0 ? Math.max(deadline - System.nanoTime(), 0) : nanos;
            last = left == 0 || Thread.currentThread().isInterrupted();
        }
    }

    /**
     * Decides what this thread does next.
     *
     * @param count how many entries it has brought from the mechanism, or {@link #NOT_INSIDE}
     * @param last  whether it is to return even if nothing is ready
     */
    private int turn(Batch batch, int most, int count, boolean last) throws IOException {
        synchronized (entrance) {
            try {
                if (count != NOT_INSIDE) {
                    leave(count);
                }
                standInForTheAbandoned();
                if (batch.queued) {
                    followers.remove(batch);
                    batch.queued = false;
                }
                entrance.requireOpen();
                fetched.take(batch, most, followers.size());
                batch.round = members.round();
                return decide(batch, count != NOT_INSIDE, last);
            } finally {
                passOn();
            }
        }
    }

    /** A wakeup ends an await, but not before it has looked: else who is always woken would never see anything. */
    private int decide(Batch batch, boolean looked, boolean last) throws IOException {
        boolean taken = entrance.isTaken();
        if (batch.size() > 0 || last || woken && looked) {
            woken &= taken; // who is inside was called out by it
            return RETURN;
        }
        return taken ? queue(batch) : enter(batch);
    }

    private int queue(Batch batch) {
        batch.thread = Thread.currentThread();
        batch.queued = true;
        followers.push(batch);
        return FOLLOW;
    }

    private int enter(Batch batch) throws IOException {
        watch.repair();
        members.beginRound();
        entrance.enter(batch);
        return woken || watch.hasRefused() ? LOOK : LEAD;
    }

    /** Comes out of the mechanism with so many entries. */
    private void leave(int count) {
        assert Thread.holdsLock(entrance);
        entrance.leave();
        fetched.put(count);
        watch.makePostponed();
    }

    /** Does what a thread that broke off in the mechanism has left undone. */
    private void standIn() {
        synchronized (entrance) {
            standInForTheAbandoned();
            passOn();
        }
    }

    private void standInForTheAbandoned() {
        assert Thread.holdsLock(entrance);
        if (entrance.abandoned) {
            leave(pollSet.fetched());
        }
    }

    /** Nobody is left to wait for a turn that nobody takes. */
    private void passOn() {
        assert Thread.holdsLock(entrance);
        boolean done = false;
        while (!done && !entrance.isTaken() && !followers.isEmpty()) {
            Batch follower = followers.peek();
            if (follower.queued) { // else its thread broke off
                LockSupport.unpark(follower.thread);
                follower.queued = false; // after it was unparked: an error must not make it wait for ever
                done = true;
            }
            followers.pop();
        }
    }

    /**
     * Fills a batch that has been gone through with more of what was fetched when it was filled first: false if there is no more.
     */
    public boolean refill(Batch batch) {
        synchronized (entrance) {
            if (entrance.isClosed() || fetched.isEmpty() || batch.round != members.round()) {
                return false;
            }
            batch.clear();
            fetched.take(batch, PORTION, followers.size());
            passOn();
            return true;
        }
    }

    /** Waits for a turn, or until there may be something to take. */
    private int follow(long nanos) {
        if (nanos < 0) {
            LockSupport.park(this);
        } else if (nanos > 0) {
            LockSupport.parkNanos(this, nanos);
        }
        return NOT_INSIDE;
    }

    /** Empties a batch. What its thread did not come to will be reported again. */
    public void giveBack(Batch batch) {
        if (batch.isUnfinished()) {
            takeBack(batch);
        }
        batch.clear();
    }

    private void takeBack(Batch batch) {
        synchronized (entrance) {
            while (!entrance.isClosed() && batch.next()) {
                Member member = batch.member();
                if (watch.takeBack(member, batch.events()) && membership.change(member) != 0) {
                    watch.refuse(member);
                }
            }
            if (watch.hasRefused()) {
                entrance.callOut();
            }
        }
    }

    /** Ends one await: one in progress, or else the next. */
    public void wakeup() {
        synchronized (entrance) {
            if (!entrance.isClosed()) {
                woken = true;
                entrance.callOut();
            }
        }
    }

    @Override
    public String toString() {
        synchronized (entrance) {
            return "Poller[" + pollSet.name() + ", " + (entrance.isClosed() ? "closed" : members.size() + " members") + ']';
        }
    }

    public boolean isOpen() {
        return !entrance.isClosed();
    }

    /** Ends every await with an exception, and gives everything back. */
    public void close() {
        synchronized (entrance) { // a second call does what one that broke off has left undone
            entrance.close();
            passOn();
            members.clear();
            watch.clear();
            pollSet.close();
        }
    }
}
