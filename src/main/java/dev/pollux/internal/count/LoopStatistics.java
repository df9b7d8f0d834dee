// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.count;

import dev.pollux.internal.count.LoopObserver.Moment;
import java.lang.ref.WeakReference;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What a {@link Loop} has done since it was opened, and since when it has been waiting or busy. Plain fields, so that
 * counting costs nothing: other threads read numbers that may be a moment old. The clock is read before and after a
 * wait that blocks, and now and then by a loop that does not block. Never otherwise: it would cost a selection 12 %.
 * Guarded by the loop's lock, wakeups that signal by that of the mechanism. No allocation.
 */
public final class LoopStatistics {
    /** A loop that does not block looks at the clock once in this number of selections, a power of two. */
    private static final int CHECK_INTERVAL = 4096;

    private static final long REPORT_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Counted in each selection. */
    private static final int SELECTIONS = Counter.SELECTIONS.ordinal(), READY = Counter.READY.ordinal();

    private static final AtomicLong NUMBERS = new AtomicLong();

    /** The weak reference to each thread that has selected: made once, since a pool's threads may take turns. */
    private static final ThreadLocal<WeakReference<Thread>> REFERENCES = new ThreadLocal<>();

    /** 0 before it is a loop's. */
    private volatile long number;

    private final long opened = System.nanoTime();

    /** What the loop counts for itself, by the number of each {@link Counter}; as far as it has them. */
    private final long[] counts;

    /** Null if the loop has no batch. */
    private BatchCounts batch;

    /**
     * The thread that waited last, began the first selection, or made many without a wait; null before. It is kept
     * weakly: a thread that has ended, its context class loader and what it ran must not live as long as the loop.
     */
    private volatile WeakReference<Thread> thread;

    /** How often that was another one than before. */
    private long threads;

    /** Between {@link #onBlock} and {@link #onResume}. */
    private boolean isWaiting;

    /** Knows more than is noted here; null if all is. */
    private final Source source;

    /** When the last wait began or ended. */
    private long turned = opened;

    final BusyTimes busyTimes = new BusyTimes(opened);

    /** Whether the observer knows that the loop is in use. */
    private boolean isUseTold;

    /** The counters when the last wait ended. */
    private long selectionsBefore;
    private long readyBefore;

    private LoopObserver observer = LoopObserver.NONE;

    private long reported = opened;

    /** What waits and counts in one call, of which it can be asked meanwhile. For any thread. */
    @FunctionalInterface
    public interface Source {
        /** {@return nanoseconds since the wait in progress began; {@code -1 - n} if there is none} */
        long state();

        /** Sets the numbers that it counts itself. */
        default void copyTo(long[] counts) {
        }
    }

    /** Where the counters of a loop's batch come from. For any thread, so numbers may be a moment old. */
    public interface BatchCounts {
        /** Copies them, in the order in which {@link Counter} has them. */
        void copyTo(long[] counts, int offset);

        boolean isAtWork();
    }

    /** Of a loop that tells of each wait, by {@link #onBlock} and {@link #onResume}. */
    public LoopStatistics() {
        source = null;
        counts = new long[Counter.OF_LOOP];
    }

    /** Of a StreamServer's loop, which tells afterwards how long it has waited: {@link #onRound}, {@link #onWaited}. */
    public LoopStatistics(Source source) {
        this.source = source;
        counts = new long[Counter.ALL];
    }

    /** It is a loop's, and an observer is told of that from now on. */
    void onOpened(LoopObserver observer) {
        number = NUMBERS.incrementAndGet();
        this.observer = observer;
        tell(Moment.OPENED);
    }

    void onClosed() {
        tell(Moment.CLOSED);
        observer = LoopObserver.NONE;
    }

    public void setBatch(BatchCounts counts) {
        batch = counts;
    }

    public void add(Counter what, long count) {
        counts[what.ordinal()] += count;
    }

    /** Sets a count that the mechanism keeps itself: the number since it was opened. */
    public void set(Counter what, long count) {
        counts[what.ordinal()] = count;
    }

    /** {@return how often that has happened since the loop was opened} */
    public long count(Counter what) {
        int i = what.ordinal();
        if (i >= Counter.OF_LOOP) {
            return what.in(counts());
        }
        long count = counts[i];
        return what == Counter.BLOCKED_NANOS ? count + Math.max(0, state()) : count;
    }

    /** All that it has, by their numbers; those of a batch are 0 if there is none. */
    public long[] counts() {
        long[] all = Arrays.copyOf(counts, Math.max(counts.length, Counter.OF_SERVER));
        all[Counter.BLOCKED_NANOS.ordinal()] = count(Counter.BLOCKED_NANOS);
        if (batch != null) {
            batch.copyTo(all, Counter.OF_LOOP);
        }
        if (source != null) {
            source.copyTo(all);
        }
        return all;
    }

    public boolean isBatching() {
        return batch != null && batch.isAtWork();
    }

    /** A selection has returned this number of ready keys. */
    public void onSelection(int count) {
        counts[READY] += count;
        if ((++counts[SELECTIONS] & CHECK_INTERVAL - 1) == 0) {
            noteThread();
            noteUse();
            reportIfDue(System.nanoTime());
        }
    }

    /** This thread begins the first selection; it is kept if it {@code isOneThread} that selects again and again. */
    public void onFirstUse(boolean isOneThread) {
        if (isOneThread) {
            noteThread();
        }
        turned = System.nanoTime();
        tell(Moment.RESUMED);
    }

    private void noteThread() {
        Thread current = Thread.currentThread();
        WeakReference<Thread> last = thread;
        if (last == null || !last.refersTo(current)) {
            thread = referenceTo(current);
            threads++;
        }
    }

    /** Holds nothing but the thread that holds it, so it keeps no class loader alive. */
    private static WeakReference<Thread> referenceTo(Thread current) {
        WeakReference<Thread> known = REFERENCES.get();
        if (known == null) {
            known = new WeakReference<>(current);
            REFERENCES.set(known);
        }
        return known;
    }

    /** This thread is about to block. */
    public void onBlock() {
        noteThread();
        tell(Moment.PAUSING);
        endStretch(System.nanoTime());
        isWaiting = true;
    }

    /** The wait of {@link #onBlock} is over; unless it {@code hasBlocked}, a wakeup in between has made it a poll. */
    public void onResume(boolean hasBlocked) {
        long now = System.nanoTime();
        add(Counter.BLOCKED_WAITS, hasBlocked ? 1 : 0);
        add(Counter.BLOCKED_NANOS, now - turned);
        turned = now;
        isWaiting = false;
        beginStretch();
    }

    /** This thread begins a round that may wait; {@link #onWaited} tells if it has. */
    public void onRound() {
        noteThread();
        tell(Moment.PAUSING);
    }

    /** The round that has ended just now has waited for this time. */
    public void onWaited(long nanos) {
        long now = System.nanoTime();
        endStretch(now - nanos);
        add(Counter.BLOCKED_WAITS, 1);
        add(Counter.BLOCKED_NANOS, nanos);
        turned = now;
        beginStretch();
    }

    private void endStretch(long now) {
        busyTimes.add(now - turned, now);
        turned = now;
        observer.on(Moment.BUSY, counts[SELECTIONS] - selectionsBefore, counts[READY] - readyBefore);
    }

    private void beginStretch() {
        noteUse();
        selectionsBefore = counts[SELECTIONS];
        readyBefore = counts[READY];
        tell(Moment.RESUMED);
        reportIfDue(turned);
    }

    /** It is in use, as the end of a wait, or many selections, show: the observer is told once. */
    public void noteUse() {
        if (!isUseTold) {
            isUseTold = observer.onUse();
        }
    }

    private void reportIfDue(long now) {
        if (now - reported >= REPORT_NANOS) {
            reported = now;
            tell(Moment.REPORT_DUE);
        }
    }

    private void tell(Moment moment) {
        observer.on(moment, 0, 0);
    }

    /** {@return who is told what the loop's own thread finds out about itself} */
    public LoopObserver observer() {
        return observer;
    }

    /** Tells loops apart, in the order in which they were opened. */
    public long number() {
        return number;
    }

    public long elapsedNanos() {
        return System.nanoTime() - opened;
    }

    /** The thread that selected last, as far as known; null before the first selection, and if it was collected. */
    public Thread thread() {
        WeakReference<Thread> last = thread;
        return last == null ? null : last.get();
    }

    /** Whether a thread has selected. */
    public boolean isUsed() {
        return thread != null;
    }

    /** How often another thread than before has selected: 1 for a loop that has always had one. */
    public long threads() {
        return threads;
    }

    /** Nanoseconds since the wait in progress began; if there is none, {@code -1 - n} for n since the last one. */
    private long state() {
        if (source != null) {
            return source.state();
        }
        boolean waiting = isWaiting;
        long elapsed = Math.max(0, System.nanoTime() - turned);
        return waiting ? elapsed : -1 - elapsed;
    }

    public boolean isWaiting() {
        return state() >= 0;
    }

    /** Nanoseconds since the last wait ended; 0 while a thread waits, and before the first selection. */
    public long busyNanos() {
        return isUsed() ? Math.max(0, -1 - state()) : 0;
    }

    /** Nanoseconds since the last wait began, or ended; 0 before the first selection. */
    public long stateNanos() {
        long now = state();
        return !isUsed() ? 0 : now >= 0 ? now : -1 - now;
    }

    /** Selections since the last wait ended; 0 while a thread waits. */
    public long busySelections() {
        return isWaiting() ? 0 : Math.max(0, counts[SELECTIONS] - selectionsBefore);
    }

    /** The longest time from one wait to the next that ended in the last minute, or in the one before. */
    public long longestBusyNanos() {
        return busyTimes.longest(System.nanoTime());
    }

    /** Times from one wait to the next, since it was opened: see {@link BusyTimes#histogram}. */
    public long[] busyStretches() {
        return busyTimes.histogram();
    }

    /** A few of the numbers, for people; JMX, JFR and {@code top} have all. */
    @Override
    public String toString() {
        return Stream.of(Counter.SELECTIONS, Counter.READY, Counter.WAKEUPS)
                .map(each -> count(each) + " " + each.words()).collect(Collectors.joining(", "));
    }
}
