// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.pollset;

import dev.pollux.internal.jni.Natives;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The port to one readiness mechanism: descriptors go in by {@link #add} and {@link #modify} and out by
 * {@link #remove}, events come by {@link #await} into one buffer outside of the heap.
 *
 * <p>Thread-safety: every method is for one thread at a time, its owner's lock sees to that; {@link #wakeup} is for any
 * thread at any time, after {@link #close} too, and so are the changes where the set {@link #isLive}. Allocation: none
 * after construction, except when the buffer grows.
 */
public final class PollSet {
    /** Events: the bits of {@link #events} and of what can be asked for. ERR, HUP and NVAL come unasked. */
    public static final int IN = Natives.IN, PRI = Natives.PRI, OUT = Natives.OUT, ERR = Natives.ERR, HUP = Natives.HUP,
            NVAL = Natives.NVAL, RDHUP = Natives.RDHUP;

    /** In {@link #events}: a change was refused, see {@link #error}; the other events are not watched for. */
    public static final int FAILED = Natives.FAILED;

    /**
     * Asked for with events: they are reported once, then not again until {@link #modify}. Refused unless
     * {@link #supportsOneShot}.
     */
    public static final int ONESHOT = Natives.ONESHOT;

    /** Asked for with events: changes of readiness are reported. Refused unless {@link #supportsEdge}. */
    public static final int EDGE = Natives.EDGE;

    /** Room for events at first: one page. */
    private static final int FIRST_CAPACITY = 256;

    /** The buffer does not grow beyond this; what does not fit is reported by the next wait. */
    private static final int MOST_CAPACITY = 1 << 20;

    /** {@link #await}: a signal ended the wait (EINTR). */
    public static final int INTERRUPTED = -1;

    private final String mechanism;

    /** The mechanism that really runs. */
    private final String name;

    private final int caps;
    private final EntryMerger merger;

    /**
     * Held while the handle is used for a wakeup, changed or given up: a wakeup never writes to a descriptor that was
     * closed.
     */
    private final Object wakeupLock = new Object();

    /** What {@code plx_open} returned, 0 when closed. Written under {@link #wakeupLock}, by one thread at a time. */
    private long set;

    private ByteBuffer events;
    private long address;
    private int capacity;

    /**
     * Entries that were fetched and not yet {@link #forget forgotten}: set as soon as there are any, whatever fails
     * after that.
     */
    private int fetched;

    private PollSet(String mechanism, long set) {
        this.mechanism = mechanism;
        this.set = set;
        this.name = Natives.name(set);
        this.caps = Natives.caps(set);
        this.merger = (caps & Natives.CAP_MERGED) != 0 ? null : new EntryMerger();
    }

    /**
     * Opens a set.
     *
     * @param mechanism its name, or null for the best one of this platform
     * @throws IOException if there is no such mechanism here, or a limit of descriptors or memory is reached
     */
    public static PollSet open(String mechanism) throws IOException {
        PollSet opened = new PollSet(mechanism, openSet(mechanism));
        boolean complete = false;
        try {
            complete = opened.resize(FIRST_CAPACITY);
        } finally {
            if (!complete) {
                opened.close();
            }
        }
        if (!complete) {
            throw new IOException("No memory for the events of a selector or poller");
        }
        return opened;
    }

    private static long openSet(String mechanism) throws IOException {
        long set = Natives.open(mechanism);
        if (set < 0) {
            String known = Natives.mechanisms();
            String wanted = mechanism == null ? "(best of " + known + ")" : mechanism;
            throw failure("Opening the mechanism " + wanted, (int) -set);
        }
        return set;
    }

    /** The one place where a code of the native library becomes an exception. */
    private static IOException failure(String call, int code) {
        return new IOException(call + ": " + Natives.strerror(code));
    }

    /** An exception for a refused change: it names the system call, what was to be changed, and the error. */
    public IOException refusal(String what, int code) {
        return failure(Natives.changeCall(set) + " for " + what, code);
    }

    /** The mechanism that really runs; any thread. */
    public String name() {
        return name;
    }

    /**
     * A descriptor to wait on, or -1 if the mechanism has none. After an {@link #await} that found nothing it polls
     * readable when another one would return, unless changes were made since. Until an await has found nothing it may
     * stay readable, so whoever parks on it polls once more before.
     */
    public int handle() {
        return (caps & Natives.CAP_POLLABLE) != 0 ? (int) Natives.handle(set) : -1;
    }

    /** Whether the mechanism knows {@link #ONESHOT}. */
    public boolean supportsOneShot() {
        return (caps & Natives.CAP_ONESHOT) != 0;
    }

    /** Whether the mechanism knows {@link #EDGE}. */
    public boolean supportsEdge() {
        return (caps & Natives.CAP_EDGE) != 0;
    }

    /** Whether changes are for any thread at any time, and in force for a wait in progress. */
    public boolean isLive() {
        return (caps & Natives.CAP_LIVE) != 0;
    }

    /**
     * Watches a descriptor, in the place of what was watched under that number, if anything.
     *
     * @param gen tells this registration from another one of the same number: {@link #gen} of its entries
     * @return 0, or the (positive) error code with which the addition was refused
     */
    public int add(int fd, int gen, int events) {
        return -Natives.add(set, fd, events, cookie(fd, gen));
    }

    /**
     * Watches a descriptor for other events, or with another {@code gen}; what is ready now is reported again.
     *
     * @return 0, or the (positive) error code with which that was refused; also because the mechanism knows that what
     *     was added has been closed
     */
    public int modify(int fd, int gen, int events) {
        return -Natives.modify(set, fd, events, cookie(fd, gen));
    }

    /**
     * Watches a descriptor no longer: it may be closed when this returns. One that is not watched is no error.
     *
     * @return 0, or the (positive) error code with which the removal was refused
     */
    public int remove(int fd) {
        return -Natives.remove(set, fd);
    }

    private static long cookie(int fd, int gen) {
        return (long) gen << Integer.SIZE | Integer.toUnsignedLong(fd);
    }

    private long cookie(int i) {
        return events.getLong(i * Natives.EVENT_BYTES + Natives.EVENT_COOKIE);
    }

    /**
     * Waits for events, which are then read by {@link #fd}, {@link #gen} and {@link #events}; each registration fills
     * one entry. When they fill the buffer it grows and takes more, so that one call reports everything that is ready.
     *
     * @param nanos how long to wait: negative for ever, 0 not at all, else at least that long
     * @return the number of entries, or {@link #INTERRUPTED}
     */
    public int await(long nanos) throws IOException {
        int n = Natives.await(set, address, capacity, nanos);
        if (n < 0) {
            if (Natives.interrupted(n)) {
                return INTERRUPTED;
            }
            throw failure(Natives.awaitCall(set), -n);
        }
        fetched = n;
        if (n == capacity) {
            n = awaitRest(n);
        }
        return merger == null ? n : merger.merge(events, n);
    }

    /**
     * How many entries were fetched since the last {@link #forget}; more than {@link #await} returned if it merged
     * some, or threw.
     */
    public int fetched() {
        return fetched;
    }

    /**
     * Says that the entries were dealt with: a {@link #ONESHOT} is not reported again, so until then somebody must know
     * of it.
     */
    public void forget() {
        fetched = 0;
    }

    /** Appends what else is ready: what was fetched stays, for a mechanism reports a {@link #ONESHOT} but once. */
    private int awaitRest(int first) {
        int more = first;
        while (more > 0 && fetched == capacity && capacity < MOST_CAPACITY && resize(capacity * 4)) {
            more = Natives.await(set, address + (long) fetched * Natives.EVENT_BYTES, capacity - fetched, 0);
            if (more > 0) {
                fetched += more;
            }
        }
        // What is still ready was reported again.
        return merger == null && fetched > first ? new EntryMerger().merge(events, fetched) : fetched;
    }

    /** Whether entry {@code i} stands for a wakeup, and for no descriptor. */
    public boolean isWakeup(int i) {
        return (events(i) & Natives.WAKEUP) != 0;
    }

    /** The descriptor of entry {@code i}. */
    public int fd(int i) {
        return (int) cookie(i);
    }

    /** What was given as {@code gen} when the descriptor of entry {@code i} was last added or modified. */
    public int gen(int i) {
        return (int) (cookie(i) >>> Integer.SIZE);
    }

    /** The events of entry {@code i}: {@link #IN} and so on. */
    public int events(int i) {
        return events.getInt(i * Natives.EVENT_BYTES + Natives.EVENT_EVENTS);
    }

    /** The error code of entry {@code i}, where its events say that there is one. */
    public int error(int i) {
        return events.getInt(i * Natives.EVENT_BYTES + Natives.EVENT_ERROR);
    }

    /** Whether a number is an open descriptor. */
    public static boolean isOpen(int fd) {
        return Natives.isOpen(fd);
    }

    /** Reads and drops the out-of-band data of a stream socket: how many bytes; 0 of anything else. */
    public static int discardOutOfBand(int fd) {
        return Natives.discardOutOfBand(fd);
    }

    /** Ends the wait in progress, or else the next one. Any thread; without effect on a closed set. */
    public void wakeup() {
        synchronized (wakeupLock) {
            if (set != 0) {
                int code = Natives.wakeup(set);
                if (code < 0) {
                    throw new InternalError(failure("wakeup", -code));
                }
            }
        }
    }

    /**
     * Replaces the mechanism's object in the kernel by a new one that holds nothing, keeping the buffer.
     *
     * @throws IOException if a new one can't be opened; then the old one stays
     */
    public void reopen() throws IOException {
        long fresh = openSet(mechanism);
        replaceSet(fresh);
    }

    /** Gives everything back. Once more has no effect. */
    public void close() {
        replaceSet(0);
        long memory = address;
        address = 0;
        events = null;
        Natives.free(memory);
    }

    private void replaceSet(long fresh) {
        long old;
        synchronized (wakeupLock) {
            old = set;
            set = fresh;
        }
        Natives.close(old);
    }

    /**
     * Replaces the buffer by one of the given size with the same entries: false, and all is as before, if there is no
     * memory for it.
     */
    private boolean resize(int wanted) {
        ByteBuffer larger = newEvents(wanted);
        if (larger == null) {
            return false;
        }
        larger.order(ByteOrder.nativeOrder());
        if (events != null) {
            larger.put(0, events, 0, events.capacity());
        }
        long place = Natives.address(larger);
        Natives.free(address);
        events = larger;
        address = place;
        capacity = wanted;
        return true;
    }

    private static ByteBuffer newEvents(int wanted) {
        try {
            return Natives.newEvents(wanted);
        } catch (OutOfMemoryError e) {
            return null; // of the heap: no reason to lose what was fetched
        }
    }
}
