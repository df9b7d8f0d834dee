// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.poller;

import dev.pollux.internal.jdk.VirtualThreads;
import dev.pollux.internal.pollset.PollFirst;
import dev.pollux.internal.pollset.PollSet;
import java.io.IOException;
import java.util.function.Supplier;

/**
 * Lets one thread at a time into the mechanism, until it is closed, and others call it out.
 *
 * <p>Its monitor guards everything in a {@link Multiplexer}, and is held by the caller of each method but {@link #callOut} and
 * {@link #fetch}, which is for the thread that is inside. No allocation.
 */
final class Entrance {
    private final PollSet pollSet;
    private final Interruption interruption;

    /** What is thrown when it is closed. */
    private final Supplier<RuntimeException> closedException;

    /** For the thread that is inside. */
    private final PollFirst pollFirst = new PollFirst();

    /** A thread is inside the mechanism, or about to be. */
    private boolean inside;

    /** That thread has been called out. */
    private boolean called;

    /** Written with the monitor. */
    private volatile boolean closed;

    Entrance(PollSet pollSet, Supplier<RuntimeException> closedException) {
        this.pollSet = pollSet;
        this.interruption = new Interruption(this::callOut);
        this.closedException = closedException;
    }

    boolean isClosed() {
        return closed;
    }

    void requireOpen() {
        if (closed) {
            throw closedException.get();
        }
    }

    boolean isTaken() {
        return inside;
    }

    void enter() {
        assert Thread.holdsLock(this);
        inside = true;
    }

    void leave() {
        assert Thread.holdsLock(this);
        inside = false;
        called = false;
        if (closed) {
            notifyAll();
        }
    }

    /** Makes the thread that is inside come out, if there is one. Any thread, with the monitor or without. */
    synchronized void callOut() {
        if (inside && !called) {
            pollSet.wakeup();
            called = true;
        }
    }

    /** Lets nobody in any more, and waits until nobody is inside. */
    void close() {
        closed = true;
        callOut();
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

    /** Waits for events: the number of entries; 0 also if a signal came, or somebody called. */
    int fetch(long nanos) throws IOException {
        if (nanos == 0 || pollFirst.isWorthwhile()) {
            int n = pollSet.await(0);
            if (n > 0 || nanos == 0) {
                return Math.max(n, 0);
            }
            pollFirst.inVain();
        }
        return Math.max(VirtualThreads.isVirtual() ? fetchInVirtualThread(nanos) : block(nanos), 0);
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
}
