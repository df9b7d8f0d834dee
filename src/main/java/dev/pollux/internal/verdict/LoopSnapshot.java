// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.verdict;

import dev.pollux.internal.count.BusyTimes;
import dev.pollux.internal.count.Counter;
import dev.pollux.internal.count.Loop;
import dev.pollux.internal.count.LoopStatistics;
import dev.pollux.internal.count.Loops;
import dev.pollux.internal.count.Slots;
import java.util.List;
import java.util.Map;

/**
 * What a {@link Loop} has done and what it does, at one moment: what management tools show. Immutable and safe for use
 * by many threads; it keeps loop and thread reachable, so do not keep it for long.
 *
 * @param loop             the loop itself, which {@link #gate} asks
 * @param slot             its {@link Slots slot}; -1 if it has none
 * @param thread           the thread that selected last; null before the first selection, and if it is no more
 * @param threadName       its name, also if it is no more; empty before the first selection
 * @param size             how many keys, members or connections it has
 * @param refused          how many of these the mechanism has refused
 * @param elapsedNanos     since it was opened
 * @param longestBusyNanos the longest time from one wait to the next that ended lately, or goes on now
 * @param busyStretches    how many times from one wait to the next were up to each bound of {@link BusyTimes}, and
 *                         all; never changed
 * @param isWaiting        whether it waits now
 * @param stateNanos       for how long it has been waiting, or busy; 0 before the first selection
 * @param busySelections   selections since the last wait: one means a slow handler, many mean much to do
 * @param verdict          what is wrong with it
 * @param verdictNanos     for how long that has been so; 0 if nothing is wrong
 * @param isBatching       whether writes are deferred now
 * @param lastSpin         why a key made it spin last, and the key's channel; empty if none did
 * @param counts           how often each {@link Counter} has happened, by their numbers; never changed
 */
public record LoopSnapshot(Loop loop, long number, int slot, String kind, String mechanism, Thread thread,
        String threadName, int size, int refused, long elapsedNanos, long longestBusyNanos, long[] busyStretches,
        boolean isWaiting, long stateNanos, long busySelections, Verdict verdict, long verdictNanos,
        boolean isBatching, String lastSpin, long[] counts) {

    /** {@return all loops that are open, in the order in which they were opened}. Takes 100 ms if one seems stalled. */
    public static List<LoopSnapshot> all() {
        Verdicts.refresh();
        Map<Loop, Integer> slots = Slots.all();
        return Loops.open().stream().map(loop -> of(loop, slots.getOrDefault(loop, Slots.NONE))).toList();
    }

    private static LoopSnapshot of(Loop loop, int slot) {
        LoopStatistics counted = loop.statistics();
        WatchedLoop watched = Verdicts.of(loop);
        Verdict verdict = watched.verdict(counted);
        boolean isLeftAlone = verdict.kind() == Verdict.Kind.LEFT_ALONE;
        boolean isWaiting = counted.isWaiting();
        long inState = isLeftAlone ? 0 : counted.stateNanos();
        long[] counts = counted.counts();
        Thread thread = counted.thread();
        return new LoopSnapshot(loop, counted.number(), slot, loop.kind(), loop.mechanism(), thread,
                thread == null ? watched.threadName : thread.getName(), loop.size(), loop.refused(),
                Math.max(counts[Counter.BLOCKED_NANOS.ordinal()], counted.elapsedNanos()),
                Math.max(counted.longestBusyNanos(), isWaiting ? 0 : inState), counted.busyStretches(), isWaiting,
                inState, isLeftAlone ? 0 : counted.busySelections(), verdict,
                verdict.kind() == Verdict.Kind.NONE ? 0 : Math.max(0, System.nanoTime() - verdict.since()),
                counted.isBatching(), watched.lastSpin, counts);
    }

    public long count(Counter what) {
        return what.in(counts);
    }

    /** {@return the share of its time that it did not wait, from 0 to 1; 0 before the first selection} */
    public double utilization() {
        return elapsedNanos == 0 || threadName.isEmpty() ? 0 : 1 - (double) count(Counter.BLOCKED_NANOS) / elapsedNanos;
    }

    public long waitingNanos() {
        return isWaiting ? stateNanos : 0;
    }

    public long busyNanos() {
        return isWaiting ? 0 : stateNanos;
    }

    @SuppressWarnings("deprecation") // threadId comes with JDK 19
    public long threadId() {
        return thread == null ? 0 : thread.getId();
    }

    public boolean isStalled() {
        return verdict.kind().isStalled();
    }

    public boolean isBlocked() {
        return verdict.kind() == Verdict.Kind.BLOCKED;
    }

    public boolean hasLostThread() {
        return verdict.kind() == Verdict.Kind.LOST_THREAD;
    }

    public boolean isLeftAlone() {
        return verdict.kind() == Verdict.Kind.LEFT_ALONE;
    }

    /** {@return a sentence about the lock that a stalled thread waits for; empty if there is none} */
    public String lock() {
        return isStalled() && thread != null ? LockOwner.of(thread).sentence().strip() : "";
    }

    public String gate() {
        return loop.gate();
    }

    /** {@return what the thread does now, innermost call first; empty if there is none, or it has ended} */
    public StackTraceElement[] stack() {
        return thread == null ? new StackTraceElement[0] : thread.getStackTrace();
    }
}
