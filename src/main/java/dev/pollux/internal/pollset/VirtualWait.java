// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.pollset;

import dev.pollux.internal.jdk.StackReserve;
import dev.pollux.internal.jdk.VirtualThreads;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * How the virtual threads of one selector or Poller wait: parked, or blocking their carriers.
 *
 * <p>A parked thread frees its carrier, and another thread wakes it by unparking it. But an event reaches it only
 * through the JDK's poller thread. A thread that blocks its carrier hears of events at once, so that is tried first,
 * for a short while, as long as it pays and few threads do it. The scheduler replaces a blocked carrier if it must.
 *
 * <p>Thread-safety: {@link #unpark} is for any thread, the rest for the one that waits. No allocation.
 */
public final class VirtualWait {
    /**
     * So many virtual threads at once may block their carriers although they could park. The scheduler copes with 256.
     */
    private static final int MOST_BLOCKED = 16;

    /**
     * After so long a thread parks instead. Not shorter: a timer that is due before the kernel's next tick has to be
     * programmed into the hardware, which costs as much as the rest of the wait.
     */
    private static final long LONGEST_BLOCK_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    /** Stack that an unpark does with. */
    private static final int UNPARK_FRAMES = 128;

    private static final AtomicInteger blocked = new AtomicInteger();

    /** Whether a thread has parked through the JDK's poller before, so that all classes on that way are linked. */
    private static volatile boolean linked;

    private final Patience patience = new Patience(LONGEST_BLOCK_NANOS);

    /** The thread that is parked, or about to be. */
    private volatile Thread parked;

    /** What {@link VirtualThreads#beginBlocking} returned. */
    private long compensation;

    /**
     * Begins to block the carrier: how many nanoseconds this thread may do so, 0 if it must park instead. If it may,
     * {@link #endBlocking} must follow.
     */
    public long beginBlocking() {
        long nanos = patience.nanos();
        if (nanos == 0) {
            return 0;
        }
        compensation = 0;
        try {
            if (blocked.incrementAndGet() <= MOST_BLOCKED) {
                compensation = VirtualThreads.beginBlocking();
            }
        } finally {
            if (compensation == 0) {
                blocked.decrementAndGet(); // too many do it, or this scheduler replaces no carrier
            }
        }
        return compensation == 0 ? 0 : nanos;
    }

    /** The carrier is no longer blocked. */
    public void endBlocking(boolean hasPaid) {
        VirtualThreads.endBlocking(compensation);
        blocked.decrementAndGet();
        if (hasPaid) {
            patience.hasPaid();
        } else {
            patience.wasInVain();
        }
    }

    /**
     * Says that the current thread is going to park, so that it can be unparked from now on. Not for the first thread
     * of all: linking classes may park it on a lock, and that would use the permit up.
     */
    public void announce() {
        if (linked) {
            parked = Thread.currentThread();
        }
    }

    /**
     * Parks the current thread until a descriptor is readable, or it is unparked or interrupted, or the time is over.
     * It may also return early.
     *
     * @param nanos how long at most: negative for ever
     * @return false if the system does not let the JDK watch the descriptor, as where Pollers nest too deep (ELOOP)
     */
    public boolean park(int handle, long nanos) {
        try {
            VirtualThreads.park(handle, Math.max(nanos, 0));
        } catch (IOException e) {
            return false;
        }
        if (!linked) { // all threads share it: not written at every park
            linked = true;
        }
        return true;
    }

    /** The thread that announced itself goes on. */
    public void retract() {
        if (parked != null) {
            parked = null;
        }
    }

    /**
     * Unparks the thread that has announced itself.
     *
     * @return false if there is none, so that the waiting thread must be woken by other means
     */
    public boolean unpark() {
        Thread thread = parked;
        if (thread == null) {
            return false;
        }
        // An unpark that breaks off in the middle would leave the thread parked for ever. Better to break off before.
        StackReserve.require(UNPARK_FRAMES);
        LockSupport.unpark(thread);
        return true;
    }
}
