// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.pollset;

import dev.pollux.internal.batch.Streams;
import dev.pollux.internal.count.Counter;
import dev.pollux.internal.count.LoopStatistics;
import dev.pollux.internal.jni.Natives;
import java.io.IOException;
import java.util.List;
import java.util.Objects;

/**
 * The port to one readiness mechanism: descriptors go in by {@link #add} and {@link #modify} and out by {@link
 * #remove}, events come by {@link #await} into one buffer outside of the heap, {@link #entries}. Thread-safety: every
 * method is for one thread at a time, its owner's lock sees to that; {@link #wakeup} is for any thread at any time,
 * after {@link #close} too, and so are the changes where the set {@link #isLive}. Allocation: none after construction,
 * except for the first wait and when the buffer grows.
 */
public final class PollSet implements Awaitable, AutoCloseable {
    /** Events: the bits of {@link EventBuffer#events} and of what can be asked for. ERR, HUP and NVAL come unasked. */
    public static final int IN = Natives.IN, PRI = Natives.PRI, OUT = Natives.OUT, ERR = Natives.ERR, HUP = Natives.HUP,
            NVAL = Natives.NVAL, RDHUP = Natives.RDHUP;

    /** A change was refused, see {@link EventBuffer#error}; the other events are not watched for. */
    public static final int FAILED = Natives.FAILED;

    /** Asked for: reported once, then not until {@link #modify}. Refused unless {@link #supportsOneShot}. */
    public static final int ONESHOT = Natives.ONESHOT;

    /** Asked for: changes of readiness are reported. Refused unless {@link #supportsEdge}. */
    public static final int EDGE = Natives.EDGE;

    /** The mechanism that a sandbox permits most likely: it has no object of the kernel but a waker. */
    private static final String SIMPLEST = "poll";

    /** The one that never reads its eventfd, which counts all signals. Others read it, and it tells what is new. */
    private static final String COUNTING = "epoll";

    /** How the library names the codes with which a kernel or a sandbox refuses a system call. */
    private static final List<String> CALL_REFUSED = List.of("(EPERM)", "(ENOSYS)", "(EACCES)");

    /** That of the set that was opened last, since most programs open one kind only; null before. */
    private static volatile Kind last;

    private final Kind kind;
    private final int caps;
    private final EntryMerger merger;
    private final EventBuffer entries = new EventBuffer();
    private final LoopStatistics statistics = new LoopStatistics();

    /** Held while a wakeup writes, and while the set is replaced: no wakeup writes to what is closed. */
    private final Object wakeupLock = new Object();

    /** Made on first use; null before. */
    private WritableNow writable;

    private Streams streams = Streams.NONE;

    /** Whether the set replaces another one, so that the kernel has not counted all signals. Guarded as the set is. */
    private boolean isReplaced;

    /** What {@code plx_open} returned, 0 when closed. Written under {@link #wakeupLock}, by one thread at a time. */
    private long set;

    /** What is the same for all sets that are opened by one name; {@code name} is that of what really runs. */
    private record Kind(String mechanism, String name, String changeCall, int caps) {
    }

    private PollSet(String mechanism, long set) {
        this.set = set;
        this.kind = kind(mechanism, set);
        this.caps = kind.caps;
        this.merger = (caps & Natives.CAP_MERGED) != 0 ? null : new EntryMerger();
    }

    private static Kind kind(String mechanism, long set) {
        Kind kind = last;
        if (kind == null || !Objects.equals(mechanism, kind.mechanism)) {
            kind = new Kind(mechanism, Natives.name(set), Natives.changeCall(set), Natives.caps(set));
            last = kind;
        }
        return kind;
    }

    /** {@return the classes behind this one that are not loaded before they are needed} */
    public static List<Class<?>> usedLater() {
        return List.of(EntryMerger.class, Cookie.class);
    }

    /** Opens a mechanism, or the best one of this platform if that is null. */
    public static PollSet open(String mechanism) throws IOException {
        return new PollSet(mechanism, openSet(mechanism));
    }

    private static long openSet(String mechanism) throws IOException {
        long set = Natives.open(mechanism);
        if (set < 0) {
            String wanted = mechanism == null ? "(best of " + Natives.mechanisms() + ")" : mechanism;
            throw mechanismFailure("Opening the mechanism " + wanted, wanted, (int) -set);
        }
        return set;
    }

    /** The one place where a code of the native library becomes an exception. */
    private static IOException failure(String call, int code) {
        return new IOException(call + ": " + Natives.strerror(code));
    }

    /** Of a whole mechanism, not of one descriptor: names another one if the system forbids its calls. */
    private static IOException mechanismFailure(String call, String mechanism, int code) {
        IOException failure = failure(call, code);
        boolean isRefused = CALL_REFUSED.stream().anyMatch(failure.getMessage()::contains);
        boolean isOther = !mechanism.equals(SIMPLEST) && List.of(Natives.mechanisms().split(",")).contains(SIMPLEST);
        return !isRefused || !isOther ? failure : new IOException(failure.getMessage()
                + ". Permit the mechanism's calls, or do without them: name dev.pollux.PollSelectorProvider, or for a"
                + " Poller the mechanism " + SIMPLEST);
    }

    /** Any thread: an exception for a refused change, which names the system call, what was changed, and the error. */
    public IOException refusal(String what, int code) {
        return failure(kind.changeCall + " for " + what, code);
    }

    /** Has what is written to stream sockets be deferred, perhaps. They are closed with this. */
    public void defer(Streams writes) {
        streams = writes;
        statistics.setBatch(writes);
    }

    /** Is told which stream sockets there are, and of each wait before it begins. */
    public Streams streams() {
        return streams;
    }

    /** Asks without a word to the mechanism; {@link #await} reports what is found. Always the same one. */
    public WritableNow writableNow() {
        if (writable == null) {
            writable = new WritableNow();
        }
        return writable;
    }

    public LoopStatistics statistics() {
        return statistics;
    }

    /** The mechanism that really runs; any thread. */
    public String name() {
        return kind.name;
    }

    @Override
    public int handle() {
        return (caps & Natives.CAP_POLLABLE) != 0 ? (int) Natives.handle(set) : -1;
    }

    public boolean supportsOneShot() {
        return (caps & Natives.CAP_ONESHOT) != 0;
    }

    public boolean supportsEdge() {
        return (caps & Natives.CAP_EDGE) != 0;
    }

    /** Whether changes are for any thread at any time, and in force for a wait in progress. */
    public boolean isLive() {
        return (caps & Natives.CAP_LIVE) != 0;
    }

    /**
     * Watches a descriptor, in the place of what was watched under that number, if anything: 0, or the (positive) error
     * code of a refusal.
     */
    public int add(int fd, int generation, int events) {
        statistics.add(Counter.CHANGES, 1);
        return -Natives.add(set, fd, events, Cookie.of(fd, generation));
    }

    /**
     * Watches a descriptor for other events, or with another {@code generation}; what is ready now is reported again.
     * Returns what {@link #add} does; a refusal may also mean that the mechanism knows what was added to be closed.
     */
    public int modify(int fd, int generation, int events) {
        statistics.add(Counter.CHANGES, 1);
        return -Natives.modify(set, fd, events, Cookie.of(fd, generation));
    }

    /** Watches a descriptor no longer: 0, also if it was not watched, or the (positive) error code of a refusal. */
    public int remove(int fd) {
        statistics.add(Counter.CHANGES, 1);
        return -Natives.remove(set, fd);
    }

    /** The events are in {@link #entries}, one for each registration. A full buffer grows, so that all is reported. */
    @Override
    public int await(long nanos) throws IOException {
        if (entries.capacity == 0 && !entries.grow()) {
            throw new IOException("No memory for the events of a selector or poller");
        }
        int n = Natives.await(set, entries.address, entries.capacity, nanos);
        if (n < 0) {
            if (Natives.interrupted(n)) {
                return INTERRUPTED;
            }
            throw mechanismFailure(Natives.awaitCall(set), kind.name, -n);
        }
        entries.fetched(n);
        if (n == entries.capacity) {
            n = awaitRest(n);
        }
        if (writable != null && writable.isAny()) {
            n = writable.moveTo(entries);
        }
        return merger == null ? n : entries.merge(merger);
    }

    /** Appends what else is ready: what was fetched stays, for a mechanism reports a {@link #ONESHOT} but once. */
    private int awaitRest(int first) {
        int more = first;
        while (more > 0 && entries.isFull() && entries.grow()) {
            int n = entries.fetched();
            long free = entries.address + (long) n * Natives.EVENT_BYTES;
            more = Natives.await(set, free, entries.capacity - n, 0);
            if (more > 0) {
                entries.fetched(n + more);
            }
        }
        // What is still ready was reported again.
        return merger == null && entries.fetched() > first ? entries.merge(new EntryMerger()) : entries.fetched();
    }

    public EventBuffer entries() {
        return entries;
    }

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
                statistics.add(Counter.WAKEUP_CALLS, 1);
                int code = Natives.wakeup(set);
                if (code < 0) {
                    throw new InternalError(failure("wakeup", -code));
                }
            }
        }
    }

    /** {@return how many signals were sent, and what the kernel says of them} Any thread. */
    public String describeSignals() {
        long sent;
        int waker;
        boolean isNew;
        synchronized (wakeupLock) {
            sent = statistics.count(Counter.WAKEUP_CALLS);
            isNew = isReplaced;
            waker = set == 0 ? -1 : Natives.waker(set);
        }
        long counted = waker < 0 ? -1 : Natives.countSignals(waker); // no wakeup waits for that
        return "signals: " + sent + " sent" + (counted < 0 ? "" : describe(counted, sent, isNew));
    }

    private String describe(long counted, long sent, boolean isNew) {
        if (!kind.name.equals(COUNTING)) {
            return counted == 0 ? ", none in the kernel" : ", the last still in the kernel";
        }
        return ", " + counted + " counted by the kernel" + (isNew ? " since its object was replaced"
                : counted < sent ? ": " + (sent - counted) + " lost" : "");
    }

    /** Whether an await would find something. Any thread; false where the mechanism has no descriptor to ask. */
    public boolean isReadable() {
        if ((caps & Natives.CAP_POLLABLE) == 0) {
            return false;
        }
        synchronized (wakeupLock) {
            return set != 0 && Natives.isReadable((int) Natives.handle(set));
        }
    }

    /** Replaces the mechanism's object in the kernel by one that holds nothing; if none can be had, the old stays. */
    public void reopen() throws IOException {
        replaceSet(openSet(kind.mechanism));
    }

    /** Gives everything back. Once more has no effect. */
    @Override
    public void close() {
        streams.close();
        streams = Streams.NONE;
        replaceSet(0);
        entries.free();
        if (writable != null) {
            writable.close();
        }
    }

    private void replaceSet(long fresh) {
        long old;
        synchronized (wakeupLock) {
            old = set;
            set = fresh;
            isReplaced = true;
        }
        Natives.close(old);
    }
}
