// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.poller;

import dev.pollux.internal.loop.Deadline;
import dev.pollux.internal.pollset.PollSet;
import java.io.IOException;
import java.util.concurrent.locks.LockSupport;

/**
 * The turns that threads take in an await: take a member that was fetched already, lead if no thread does, or follow.
 * No thread leads before all that was fetched is handed out. Safe for use by many threads: every field is guarded by
 * the leadership's monitor, which {@link #await} takes itself, and the callers of the other methods hold. No
 * allocation.
 */
final class Turns {
    /** What a thread does next: return, lead and look or wait in the mechanism, or wait for its turn. */
    private static final int RETURN = 0, LOOK = 1, LEAD = 2, FOLLOW = 3;

    /** Instead of a number of entries: this thread was not in the mechanism. */
    private static final int NOT_LEADING = -1;

    private final PollSet pollSet;
    private final MemberTable members;
    private final MemberRegistrations registrations;
    private final ReadyQueue ready;
    private final Leadership leadership;
    private final PollableDescriptor descriptor;
    private final Followers followers = new Followers();

    /** There was a {@link #wakeup} that no thread has taken. What is read without the monitor may be old. */
    boolean woken;

    /** There were changes while a thread led, and none has led since: the mechanism may not have made them yet. */
    private boolean unseen;

    Turns(PollSet pollSet, MemberTable members, MemberRegistrations registrations, ReadyQueue ready,
            Leadership leadership, PollableDescriptor descriptor) {
        this.pollSet = pollSet;
        this.members = members;
        this.registrations = registrations;
        this.ready = ready;
        this.leadership = leadership;
        this.descriptor = descriptor;
    }

    void wakeup() {
        leadership.gate.noteWaker(); // of who leads next, if there is no leader
        woken = true;
        leadership.wakeLeader();
    }

    void takeRest(Awaiter awaiter) {
        ready.take(awaiter, followers.count());
        promoteFollower();
    }

    /** What was given before an error counts, and the error is not thrown: it would come again. */
    int await(Awaiter awaiter, long nanos) throws IOException {
        try {
            takeTurns(awaiter, nanos);
        } catch (Throwable t) {
            // No call before this: there may be no stack for one. The next thread does what is left.
            synchronized (leadership) {
                awaiter.queued = false;
                followers.promoted = followers.promoted == awaiter ? null : followers.promoted;
                if (leadership.leader == awaiter) {
                    leadership.abandoned = true;
                    leadership.leader = null;
                }
            }
            if (awaiter.count == 0) {
                synchronized (leadership) {
                    resignIfAbandoned();
                    promoteFollower();
                }
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
            count = turn == FOLLOW ? park(time) : leadership.fetch(time);
            left = Deadline.left(nanos, deadline);
            last = left == 0 || Thread.currentThread().isInterrupted();
        }
    }

    /** What this thread does next; if it is the {@code last} turn, it returns even if nothing is ready. */
    private int turn(Awaiter awaiter, int count, boolean last) throws IOException {
        synchronized (leadership) {
            try {
                if (count != NOT_LEADING) {
                    resign(count);
                }
                resignIfAbandoned();
                followers.arrive(awaiter);
                leadership.requireOpen();
                ready.take(awaiter, followers.count());
                awaiter.round = members.round;
                return decide(awaiter, count != NOT_LEADING, last);
            } finally {
                promoteFollower();
            }
        }
    }

    /** A wakeup ends an await, but not before it has looked: else who is always woken would never see anything. */
    private int decide(Awaiter awaiter, boolean looked, boolean last) throws IOException {
        boolean led = leadership.leader != null;
        if (awaiter.count == 0 && awaiter.failure != null) {
            throw awaiter.failure;
        }
        if (awaiter.count > 0 || last || woken && looked) {
            woken &= led; // the leader was woken by it
            return RETURN;
        }
        if (led) {
            followers.enqueue(awaiter);
            return FOLLOW;
        }
        return lead(awaiter);
    }

    /** Where the kernel's object must be replaced and can't, what is ready is still looked for. */
    private int lead(Awaiter awaiter) {
        registrations.makePostponed(); // of a leader that broke off in the middle of them
        try {
            if (registrations.needsRebuild()) {
                descriptor.expectAnother();
            }
            registrations.repair();
            descriptor.update();
        } catch (IOException e) {
            awaiter.failure = e;
        }
        members.beginRound();
        unseen = false;
        leadership.lead(awaiter);
        return woken || awaiter.failure != null || registrations.hasRefused() ? LOOK : LEAD;
    }

    /** The leader comes out of the mechanism with this number of entries. */
    private void resign(int count) {
        assert Thread.holdsLock(leadership);
        leadership.resign();
        ready.put(count);
        unseen |= registrations.makePostponed();
    }

    private void resignIfAbandoned() {
        assert Thread.holdsLock(leadership);
        if (leadership.abandoned) {
            resign(pollSet.entries().fetched());
        }
    }

    /** Makes sure that a follower, or the waiter for the descriptor, takes a turn that is free. */
    void promoteFollower() {
        assert Thread.holdsLock(leadership);
        boolean done = leadership.leader != null || followers.promote();
        if (!done && (unseen || !ready.isEmpty() || registrations.hasRefused())) {
            leadership.wakeLeader(); // there is none, but who waits for the descriptor must come for the rest
        }
    }

    /** Waits for a turn, or until there may be something to take. */
    private int park(long nanos) {
        if (nanos < 0) {
            LockSupport.park(this);
        } else if (nanos > 0) {
            LockSupport.parkNanos(this, nanos);
        }
        return NOT_LEADING;
    }
}
