// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.poller;

import dev.pollux.internal.loop.AdaptiveBackoff;
import dev.pollux.internal.loop.WaitStrategy;
import dev.pollux.internal.loop.WakeupGate;
import dev.pollux.internal.pollset.PollSet;
import java.io.IOException;
import java.util.function.Supplier;

/**
 * Lets one thread at a time wait in the mechanism, the leader; others wake it (Leader/Followers: D. Schmidt and others,
 * "Pattern-Oriented Software Architecture", volume 2). Its monitor guards everything in a {@link Multiplexer}, and is
 * held by the caller of each method but {@link #wakeLeader} and {@link #fetch}, which is for the leader. No allocation.
 */
final class Leadership {
    /** One that closes looks so often, since a thread that breaks off may not be able to tell it. */
    private static final long CLOSE_CHECK_MILLIS = 100;

    private final PollSet pollSet;

    private final Supplier<RuntimeException> closedException;

    /** For the leader. */
    private final WaitStrategy waiting;
    final WakeupGate gate = new LeadingThread();

    /** The thread in the mechanism, or about to be; null if there is none. */
    Awaiter leader;

    /** The leader broke off, and what it fetched was not put away. */
    boolean abandoned;

    /** The program waits for the mechanism's descriptor: it is made readable where there is no leader to wake. */
    private boolean waitedForOutside;

    /** The descriptor was made readable, and no thread has led since. */
    private boolean signalled;

    /** Written with the monitor. */
    volatile boolean closed;

    Leadership(PollSet pollSet, Supplier<RuntimeException> closedException) {
        this.pollSet = pollSet;
        this.waiting = new WaitStrategy(pollSet, pollSet, gate, new AdaptiveBackoff(0));
        this.closedException = closedException;
    }

    void requireOpen() {
        if (closed) {
            throw closedException.get();
        }
    }

    void lead(Awaiter awaiter) {
        assert Thread.holdsLock(this);
        gate.leave(); // what woke the last one
        signalled = false;
        leader = awaiter;
    }

    void resign() {
        assert Thread.holdsLock(this);
        leader = null;
        abandoned = false;
        if (closed) {
            notifyAll();
        }
    }

    /** The program may wait for the mechanism's descriptor. It is readable at first: something may be left. */
    void expectOutsiders() {
        waitedForOutside = true;
        if (leader == null) {
            wakeOutsiders();
        }
    }

    /** Makes the leader come out of the mechanism; where there is none, ends a wait for its descriptor. */
    synchronized void wakeLeader() {
        if (leader == null) {
            wakeOutsiders();
        } else {
            gate.wake(waiting);
        }
    }

    private void wakeOutsiders() {
        if (waitedForOutside && !signalled && !closed) {
            pollSet.wakeup();
            signalled = true;
        }
    }

    /** Lets no thread lead any more, and waits until none does. */
    void close() {
        closed = true;
        wakeLeader();
        boolean interrupted = false;
        while (leader != null) {
            try {
                wait(CLOSE_CHECK_MILLIS);
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Waits for events: the number of entries; 0 if the time is over, or the leader was woken. */
    int fetch(long nanos) throws IOException {
        waiting.begin(nanos, false);
        int n = waiting.await();
        while (n == 0 && waiting.goesOn()) {
            n = waiting.await();
        }
        pollSet.statistics().onSelection(n);
        return n;
    }

    /** Leaders take turns. */
    private static final class LeadingThread extends WakeupGate {
        @Override
        public boolean isOneThread() {
            return false;
        }
    }
}
