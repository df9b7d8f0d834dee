// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.loop;

import dev.pollux.internal.jdk.Room;
import dev.pollux.internal.jdk.VirtualThreads;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * How the virtual threads of one selector or Poller wait: parked, or blocking their carriers.
 *
 * <p>A parked thread frees its carrier, and another thread wakes it by unparking it. But an event reaches it only
 * through the JDK's poller thread. A thread that blocks its carrier hears of events at once, so that is tried first,
 * for a short while, as long as it succeeds, and another carrier certainly takes over.
 *
 * <p>Both are done only while no more selectors and Pollers are active than there are processors. With more, threads
 * that block compete for the processors, and those that unpark each other keep the poller thread from running: the
 * median is better than that of the JDK's selectors, but the 99th percentile is worse.
 *
 * <p>Thread-safety: {@link #unpark} is for any thread, the rest for the one that waits. No allocation.
 */
public final class VirtualWait {
    /**
     * How many selectors and Pollers must have waited lately, and at most may have, for a thread to block its carrier.
     * One alone gains nothing, and loses where it waits for another virtual thread, which its carrier could run. The
     * processors are a limit too.
     */
    private static final int MIN_ACTIVE = 2, MAX_ACTIVE = 8;

    /**
     * Carriers that the scheduler must still be able to start: one for each thread that may block at the same moment,
     * and as many for what can't but block, such as reading a file.
     */
    private static final int SPARE_CARRIERS = 2 * MAX_ACTIVE;

    /**
     * After so long a thread parks instead. Not shorter: a timer that is due before the kernel's next tick has to be
     * programmed into the hardware, which costs as much as the rest of the wait.
     */
    private static final long LONGEST_BLOCK_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    /** Stack that an unpark does with. */
    private static final int UNPARK_FRAMES = 128;

    /**
     * Wakeups in a row that unpark; the next one signals. The scheduler queues what a virtual thread unparks at the
     * same carrier, and a carrier looks for other threads only when its queue is empty. Threads that wake each other
     * would keep it from that for ever. A signal goes through the JDK's poller thread, which queues elsewhere.
     */
    private static final int MAX_UNPARKS = 256;

    private static final AtomicInteger blocked = new AtomicInteger();

    /** Whether a thread has parked through the JDK's poller before, so that all classes on that way are linked. */
    private static volatile boolean linked;

    private final RecentWaits recentWaits = new RecentWaits();
    private final AdaptiveBackoff backoff = new AdaptiveBackoff(LONGEST_BLOCK_NANOS);

    /** Whether it pays to yield first; how long that takes is not up to us. */
    private final AdaptiveBackoff yielding = new AdaptiveBackoff(1);

    /** Whether more wait lately than there are processors. */
    private boolean crowded;

    /** The thread that is parked, or about to be; null as well if it must be woken by a signal. */
    private volatile Thread parked;

    /** How often it was unparked since the last signal. Wakers may race: then it is a few times more. */
    private int unparks;

    private long compensation;

    /** {@return this class and the one behind it, which have initialisers} */
    public static List<Class<?>> classes() {
        return List.of(VirtualWait.class, RecentWaits.class);
    }

    /** For how many nanoseconds this thread blocks its carrier, until {@link #endBlocking}; 0: it must park instead. */
    public long beginBlocking() {
        int active = recentWaits.join();
        crowded = active > VirtualThreads.processors();
        long nanos = active >= MIN_ACTIVE && active <= MAX_ACTIVE && !crowded ? backoff.nanos() : 0;
        if (nanos == 0) {
            return 0;
        }
        compensation = 0;
        try {
            if (blocked.incrementAndGet() <= MAX_ACTIVE && VirtualThreads.replacesCarriers(SPARE_CARRIERS)) {
                compensation = VirtualThreads.beginBlocking();
            }
        } finally {
            if (compensation == 0) {
                blocked.decrementAndGet(); // too many do it, or no carrier would take over
            }
        }
        return compensation == 0 ? 0 : nanos;
    }

    public void endBlocking(boolean succeeded) {
        VirtualThreads.endBlocking(compensation);
        blocked.decrementAndGet();
        backoff.onAttempt(succeeded);
    }

    /**
     * Says that the current thread is going to park, so that it can be unparked from now on. Not if many wait, nor for
     * the first thread of all: linking classes may park it on a lock, and that would use the permit up.
     */
    public void announce() {
        if (linked && !crowded) {
            parked = Thread.currentThread();
        }
    }

    /**
     * Lets other virtual threads run once, if that lately had one of them wake this one, which has announced itself:
     * whether it has. To park takes two system calls more, by which the JDK's poller watches the descriptor.
     */
    public boolean yieldFirst(WakeupGate gate) {
        // Not if the next wakeup is to signal: then this thread must be parked.
        if (parked == null || unparks >= MAX_UNPARKS || yielding.nanos() == 0) {
            return false;
        }
        Thread.yield();
        boolean isWoken = gate.isWoken();
        yielding.onAttempt(isWoken);
        return isWoken;
    }

    /**
     * Parks the current thread until a descriptor is readable, or for another reason.
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

    public void retract() {
        if (parked != null) {
            parked = null;
        }
    }

    /** Unparks the thread that has announced itself; if false, a waiting thread must be woken by a signal. */
    public boolean unpark() {
        Thread thread = parked;
        if (thread == null) {
            return false;
        }
        if (++unparks > MAX_UNPARKS) {
            unparks = 0;
            return false;
        }
        // An unpark that breaks off in the middle would leave the thread parked for ever. Better to break off before.
        Room.requireStack(UNPARK_FRAMES);
        LockSupport.unpark(thread);
        return true;
    }
}
