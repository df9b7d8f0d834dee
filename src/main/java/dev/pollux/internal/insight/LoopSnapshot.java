// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.insight;

import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What a {@link Loop} has done and what it does, at one moment: what management tools show. Immutable and safe for use
 * by many threads; it keeps the thread reachable, so do not keep it for long.
 *
 * @param slot             its {@link Slots slot}; -1 if it has none
 * @param thread           the thread that selected last; null before the first selection
 * @param size             how many keys, members or connections it has
 * @param refused          how many of these the mechanism has refused
 * @param elapsedNanos     since it was opened
 * @param longestBusyNanos the longest time from one wait to the next that ended lately, or goes on now
 * @param busyStretches    how many times from one wait to the next were up to each bound of {@link BusyTimes}, and
 *                         all; never changed
 * @param isWaiting        whether it waits now
 * @param stateNanos       for how long it has been waiting, or busy; 0 before the first selection
 * @param busySelections   selections since the last wait: one means a slow handler, many mean much to do
 * @param isStalled        whether it has not selected for a while though there are events: see {@link Stalls}
 * @param hasLostThread    whether the thread has ended, or has left the loop though there are events, and no other has
 *                         waited since, though something is registered
 * @param isLeftAlone      whether the thread has turned to another loop since: see {@link LeftAlone}
 * @param isBatching       whether writes are deferred now
 * @param lastSpin         why a key made it spin last, and the key's channel; empty if none did
 * @param counts           how often each {@link Counter} has happened, by their numbers; never changed
 */
public record LoopSnapshot(long number, int slot, String kind, String mechanism, Thread thread, int size,
        int refused, long elapsedNanos, long longestBusyNanos, long[] busyStretches, boolean isWaiting, long stateNanos,
        long busySelections, boolean isStalled, boolean hasLostThread, boolean isLeftAlone, boolean isBatching,
        String lastSpin, long[] counts) {

    /** {@return all loops that are open, in the order in which they were opened}. Takes 100 ms if one seems stalled. */
    public static List<LoopSnapshot> all() {
        List<Loop> open = Loops.open();
        Set<Loop> stalled = Stalls.among(open);
        Map<Loop, Integer> slots = Slots.all();
        Set<Loop> leftAlone = LeftAlone.among(open);
        return open.stream().map(loop -> of(loop, slots.getOrDefault(loop, Slots.NONE), leftAlone.contains(loop),
                stalled.contains(loop))).toList();
    }

    private static LoopSnapshot of(Loop loop, int slot, boolean isLeftAlone, boolean hasEvents) {
        LoopStatistics counted = loop.statistics();
        boolean isWaiting = counted.isWaiting();
        boolean isStalled = hasEvents && !isWaiting && !isLeftAlone;
        long inState = isLeftAlone ? 0 : counted.stateNanos();
        long[] counts = counted.counts();
        return new LoopSnapshot(counted.number(), slot, loop.kind(), loop.mechanism(), counted.thread(), loop.size(),
                loop.refused(), Math.max(counts[Counter.BLOCKED_NANOS.ordinal()], counted.elapsedNanos()),
                Math.max(counted.longestBusyNanos(), isWaiting ? 0 : inState), counted.busyStretches(), isWaiting,
                inState, isLeftAlone ? 0 : counted.busySelections(), isStalled,
                hasLostThread(loop, isStalled), isLeftAlone, counted.isBatching(), counted.lastSpin(), counts);
    }

    public long count(Counter what) {
        return counts[what.ordinal()];
    }

    /** {@return the share of its time that it did not wait, from 0 to 1; 0 before the first selection} */
    public double utilization() {
        return elapsedNanos == 0 || thread == null ? 0 : 1 - (double) count(Counter.BLOCKED_NANOS) / elapsedNanos;
    }

    public long waitingNanos() {
        return isWaiting ? stateNanos : 0;
    }

    public long busyNanos() {
        return isWaiting ? 0 : stateNanos;
    }

    /** {@return the thread's name; empty if there is none, or it has none} */
    public String threadName() {
        return thread == null ? "" : thread.getName();
    }

    @SuppressWarnings("deprecation") // threadId comes with JDK 19
    public long threadId() {
        return thread == null ? 0 : thread.getId();
    }

    private static boolean hasLostThread(Loop loop, boolean isStalled) {
        Thread thread = loop.statistics().thread();
        return loop.size() > 0 && thread != null && (!thread.isAlive()
                || isStalled && LoopCode.hasLeft(thread.getStackTrace(), loop.statistics().firstWait()));
    }

    /** {@return a sentence about the lock that a stalled thread waits for; empty if there is none} */
    public String lock() {
        return isStalled ? LockOwner.of(thread, new Throwable()).strip() : "";
    }

    /** {@return what the thread does now, innermost call first; empty if there is none, or it has ended} */
    public StackTraceElement[] stack() {
        return thread == null ? new StackTraceElement[0] : thread.getStackTrace();
    }
}
