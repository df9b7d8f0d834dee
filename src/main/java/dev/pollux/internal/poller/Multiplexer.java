// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.poller;

import dev.pollux.internal.jdk.VirtualThreads;
import dev.pollux.internal.pollset.PollFirst;
import dev.pollux.internal.pollset.PollSet;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.NoSuchElementException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/**
 * Lets threads wait for members. One of them is inside the mechanism at a time, without the monitor; what it fetched is handed
 * out, under the monitor, to itself and to those that wait for their turn, and nobody goes in before all of that has been.
 *
 * <p>Safe for use by many threads: every field is guarded by this object's monitor, which is held for a few instructions and
 * system calls that do not block. {@link #await} does not allocate.
 */
public final class Multiplexer {
    /** A number beyond this is no descriptor of any system: it shall not make an array grow. */
    private static final int MOST_DESCRIPTORS = 1 << 24;

    /** What a thread does next. */
    private static final int RETURN = 0, LEAD = 1, FOLLOW = 2;

    /** Instead of a number of entries: this thread was not in the mechanism. */
    private static final int NOT_INSIDE = -1;

    private final PollSet pollSet;
    private final Membership members;
    private final int capacity;
    private final Supplier<RuntimeException> closedException;
    private final Interruption interruption = new Interruption(this::nudge);
    private final PollFirst pollFirst = new PollFirst();

    /** Threads that wait for their turn, the latest first: its caches are warm. */
    private final ArrayDeque<Batch> followers = new ArrayDeque<>();

    /** A thread is inside the mechanism, or about to be. */
    private boolean inside;

    /** The mechanism has been told to end the wait of that thread. */
    private boolean nudged;

    /** There was a {@link #wakeup} that no thread has taken. */
    private boolean woken;

    private boolean closed;

    /** Entries of {@link #pollSet} that are not handed out yet: from next to limit. */
    private int next, limit;

    private Multiplexer(PollSet pollSet, int capacity, Supplier<RuntimeException> closedException) {
        this.pollSet = pollSet;
        this.members = new Membership(pollSet);
        this.capacity = capacity;
        this.closedException = closedException;
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

    /** The mechanism that really runs. */
    public String mechanism() {
        return pollSet.name();
    }

    public boolean knowsEdges() {
        return pollSet.knowsEdges();
    }

    /** Adds a source (a canonical one), or a descriptor if source is null. */
    public synchronized void add(int fd, Object source, int events, Object attachment) throws IOException {
        requireOpen();
        if (fd < 0 || fd > MOST_DESCRIPTORS) {
            throw new IllegalArgumentException("not a descriptor: " + fd);
        }
        Member there = members.at(fd);
        if (there != null && Membership.isGone(there)) {
            remove(there);
        } else if (there != null) {
            throw new IllegalStateException("descriptor " + fd + " is a member already, as " + there.name()
                    + "; modify changes its events");
        }
        if (members.size() == capacity) {
            throw new IllegalStateException("the capacity of " + capacity + " is used up; remove a member, or open a larger Poller");
        }
        Member member = new Member(fd, source, attachment, events);
        members.enter(member);
        int code = change(member);
        if (code != 0) {
            members.strike(member);
            throw members.refusal(member, code);
        }
    }

    /** Changes the events of a member and enables it. */
    public synchronized void modify(int fd, Object source, int events) throws IOException {
        Member member = require(fd, source);
        int before = member.wanted;
        member.wanted = events;
        rearm(member, member.disabled, before);
    }

    public synchronized void enable(int fd, Object source) throws IOException {
        Member member = require(fd, source);
        if (member.disabled) {
            rearm(member, true, member.wanted);
        }
    }

    /** Has a member watched for what it wants now; all is as it was before if that is refused. */
    private void rearm(Member member, boolean wasDisabled, int wantedBefore) throws IOException {
        member.disabled = false;
        members.renew(member);
        int code = change(member);
        if (code != 0) {
            member.disabled = wasDisabled;
            member.wanted = wantedBefore;
            throw members.refusal(member, code);
        }
    }

    public synchronized void disable(int fd, Object source) throws IOException {
        Member member = require(fd, source);
        member.disabled = true;
        members.renew(member);
        int code = change(member);
        if (code != 0) {
            throw members.refusal(member, code);
        }
    }

    public synchronized void remove(int fd, Object source) throws IOException {
        remove(require(fd, source));
    }

    private void remove(Member member) throws IOException {
        members.strike(member);
        int code = change(member);
        if (code != 0) {
            throw members.refusal(member, code);
        }
    }

    /** Tells the mechanism of a change, now or as soon as it can be told: 0, or the code with which it refused. */
    private int change(Member member) {
        if (inside && !pollSet.isLive()) {
            members.postpone(member);
            nudge();
            return 0;
        }
        return members.tell(member);
    }

    public synchronized boolean isMember(int fd, Object source) {
        requireOpen();
        return find(fd, source) != null;
    }

    public synchronized int size() {
        requireOpen();
        return members.size();
    }

    private Member require(int fd, Object source) {
        requireOpen();
        Member member = find(fd, source);
        if (member == null) {
            throw new NoSuchElementException("not a member: " + (source == null ? "descriptor " + fd : source));
        }
        return member;
    }

    /** By number; by source if that was closed and has none any more. A member that was added as a number is found by its source too. */
    private Member find(int fd, Object source) {
        if (fd < 0) {
            return members.of(source);
        }
        Member member = members.at(fd);
        return source == null || member != null && (member.source == source || member.source == null) ? member : null;
    }

    private void requireOpen() {
        if (closed) {
            throw closedException.get();
        }
    }

    /**
     * Fills a batch with ready members; first gives back what it still holds. It stays empty if the time was over, or this thread
     * was interrupted, or there was a wakeup.
     *
     * @param most  how many entries the batch may get
     * @param nanos how long to wait: negative for ever, 0 not at all, else at least that long
     */
    public void await(Batch batch, int most, long nanos) throws IOException {
        long deadline = nanos > 0 ? System.nanoTime() + nanos : 0;
        giveBack(batch);
        long left = nanos;
        boolean last = false;
        int fetched = NOT_INSIDE;
        while (true) {
            int turn = turn(batch, most, fetched, last);
            if (turn == RETURN) {
                return;
            }
            long time = Thread.currentThread().isInterrupted() ? 0 : left;
            fetched = turn == LEAD ? lead(time) : follow(time);
            left = nanos > 0 ? Math.max(deadline - System.nanoTime(), 0) : nanos;
            last = left == 0 || Thread.currentThread().isInterrupted();
        }
    }

    /**
     * Decides what this thread does next.
     *
     * @param fetched how many entries it has brought from the mechanism, or {@link #NOT_INSIDE}
     * @param last    whether it is to return even if nothing is ready
     */
    private synchronized int turn(Batch batch, int most, int fetched, boolean last) throws IOException {
        if (fetched != NOT_INSIDE) {
            leave(fetched);
        }
        if (batch.queued) {
            followers.remove(batch);
            batch.queued = false;
        }
        try {
            requireOpen();
            take(batch, most);
            if (batch.size() > 0 || woken || last) {
                woken = false;
                return RETURN;
            }
            return inside ? queue(batch) : enter();
        } finally {
            passOn();
        }
    }

    private int queue(Batch batch) {
        batch.thread = Thread.currentThread();
        batch.queued = true;
        followers.push(batch);
        return FOLLOW;
    }

    private int enter() throws IOException {
        members.repair();
        members.beginFetch();
        inside = true;
        return LEAD;
    }

    /** Comes out of the mechanism with so many entries. */
    private void leave(int fetched) {
        inside = false;
        nudged = false;
        next = 0;
        limit = fetched;
        members.makePostponed();
        if (closed) {
            notifyAll();
        }
    }

    /** Nobody is left to wait for a turn that nobody takes. */
    private void passOn() {
        if (!inside && !followers.isEmpty()) {
            Batch follower = followers.pop();
            follower.queued = false;
            LockSupport.unpark(follower.thread);
        }
    }

    /** Gives a batch its share. */
    private void take(Batch batch, int most) {
        while (batch.size() < most && members.hasRefused()) {
            batch.reserve();
            batch.append(members.takeRefused(), PollSet.NVAL);
        }
        int threads = followers.size() + 1;
        int share = Math.min(most, batch.size() + (limit - next + threads - 1) / threads);
        while (next < limit && batch.size() < share) {
            batch.reserve();
            takeEntry(batch, next++);
        }
        if (next == limit && limit != 0) {
            next = limit = 0;
            pollSet.forget();
        }
    }

    private void takeEntry(Batch batch, int i) {
        int fd = pollSet.fd(i);
        Member member = fd == PollSet.WAKE ? null : members.reported(fd, pollSet.gen(i));
        int told = member == null ? 0 : members.tellOwner(member, pollSet.events(i));
        if (told != 0) {
            batch.append(member, told);
        }
    }

    /** Waits inside the mechanism: how many entries that brought. */
    private int lead(long nanos) throws IOException {
        boolean complete = false;
        try {
            int n = fetch(nanos);
            complete = true;
            return Math.max(n, 0);
        } finally {
            if (!complete) {
                fail();
            }
        }
    }

    private synchronized void fail() {
        leave(pollSet.fetched());
        passOn();
    }

    private int fetch(long nanos) throws IOException {
        if (nanos == 0 || pollFirst.isWorthwhile()) {
            int n = pollSet.await(0);
            if (n > 0 || nanos == 0) {
                return n;
            }
            pollFirst.inVain();
        }
        return VirtualThreads.isVirtual() ? fetchInVirtualThread(nanos) : block(nanos);
    }

    private int block(long nanos) throws IOException {
        try {
            interruption.listen();
            return pollSet.await(nanos);
        } finally {
            interruption.ignore();
        }
    }

    /** Keeps the carrier free where the mechanism can be polled itself and the JDK can park on it, else has it compensated. */
    private int fetchInVirtualThread(long nanos) throws IOException {
        int handle = pollSet.handle();
        if (handle >= 0 && VirtualThreads.canPark()) {
            int n = pollSet.await(0);
            if (n == 0) {
                VirtualThreads.park(handle, Math.max(nanos, 0));
                n = pollSet.await(0);
            }
            return n;
        }
        long compensation = VirtualThreads.beginBlocking();
        try {
            return block(nanos);
        } finally {
            VirtualThreads.endBlocking(compensation);
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

    private synchronized void takeBack(Batch batch) {
        while (!closed && batch.next()) {
            Member member = batch.member();
            if (members.takeBack(member, batch.events()) && change(member) != 0) {
                members.refuse(member);
            }
        }
        nudge();
    }

    /** Ends one await: one in progress, or else the next. */
    public synchronized void wakeup() {
        if (!closed) {
            woken = true;
            nudge();
        }
    }

    /** Makes the thread that is inside the mechanism come out, if there is one, and look what there is to do. */
    private synchronized void nudge() {
        if (inside && !nudged) {
            nudged = true;
            pollSet.wakeup();
        }
    }

    @Override
    public synchronized String toString() {
        return "Poller[" + pollSet.name() + ", " + (closed ? "closed" : members.size() + " members") + ']';
    }

    public synchronized boolean isOpen() {
        return !closed;
    }

    /** Ends every await with an exception, and gives everything back when nobody is inside the mechanism. */
    public void close() {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            nudge();
            waitUntilNobodyIsInside();
            passOn();
        }
        pollSet.close();
    }

    private void waitUntilNobodyIsInside() {
        boolean interrupted = false;
        while (inside) {
            try {
                wait();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
