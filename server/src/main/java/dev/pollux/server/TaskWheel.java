// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import java.util.ArrayDeque;
import java.util.function.LongSupplier;

/**
 * The tasks of a loop that are due later, in a hierarchical timing wheel (G. Varghese, T. Lauck: Hashed and
 * Hierarchical Timing Wheels, 1987): to add one and to take one away costs the same for any number of them.
 *
 * <p>Time is in ticks of a millisecond. On each level a slot spans as many of them as the whole level below it. A task
 * is on the lowest level on which its slot is another one than the present one's; when that slot begins, it goes down.
 *
 * <p>For the loop's thread. Allocation: with the first task alone. The clock is read only while there are some.
 */
final class TaskWheel {
    private static final long TICK = 1_000_000;
    private static final int BITS = 6;
    private static final int SLOTS = 1 << BITS;

    /** Enough for all nanoseconds that a number has. */
    private static final int LEVELS = 8;

    private final long start;

    /** The first task of each slot, level by level; null before the first task. */
    private LoopTask[] firsts;

    /** The slots of each level that have one. */
    private final long[] used = new long[LEVELS];

    /** All that was due before this tick was taken. */
    private long now;

    private int size;

    /** Of a loop that begins at this time, {@link System#nanoTime}. */
    TaskWheel(long start) {
        this.start = start;
    }

    boolean isEmpty() {
        return size == 0;
    }

    /** Adds one, at the time of this clock, {@link System#nanoTime}, which is read only if there was none. */
    void add(LoopTask task, LongSupplier clock) {
        if (firsts == null) {
            firsts = new LoopTask[LEVELS * SLOTS];
        }
        if (size++ == 0) {
            now = Math.max(now, tickAt(clock.getAsLong())); // so that no slot is passed through for nothing
        }
        put(task);
    }

    private long tickAt(long nanoTime) {
        return (nanoTime - start) / TICK;
    }

    /** Not before its time: the first tick that begins then or later. */
    private void put(LoopTask task) {
        long tick = Math.max(now, (task.time - start + TICK - 1) / TICK);
        int level = (Long.SIZE - 1 - Long.numberOfLeadingZeros((tick ^ now) | 1)) / BITS;
        int slot = level * SLOTS + (int) (tick >>> level * BITS & SLOTS - 1);
        task.slot = slot;
        task.behind = firsts[slot];
        if (task.behind != null) {
            task.behind.before = task;
        }
        firsts[slot] = task;
        used[level] |= 1L << slot;
    }

    /** Takes one away; without effect if it is not here. */
    void remove(LoopTask task) {
        if (task.slot >= 0) {
            unlink(task);
            size--;
        }
    }

    private void unlink(LoopTask task) {
        if (task.behind != null) {
            task.behind.before = task.before;
        }
        if (task.before != null) {
            task.before.behind = task.behind;
        } else {
            firsts[task.slot] = task.behind;
            if (task.behind == null) {
                used[task.slot / SLOTS] &= ~(1L << task.slot);
            }
        }
        task.slot = -1;
        task.before = null;
        task.behind = null;
    }

    /** How long there is nothing to do, at this time; there is at least one task. */
    long nanosToWait(long nanoTime) {
        return Math.max(0, start + next(lowest()) * TICK - nanoTime);
    }

    /** Takes what is due at this time, in the order of their ticks and, in one, of their coming. */
    void takeDue(long nanoTime, ArrayDeque<LoopTask> due) {
        long current = tickAt(nanoTime);
        while (size > 0) {
            int level = lowest();
            long next = next(level);
            if (next > current) {
                break;
            }
            now = next;
            int slot = level * SLOTS + (int) (next >>> level * BITS & SLOTS - 1);
            LoopTask before = null;
            for (LoopTask task = last(slot); task != null; task = before) {
                before = task.before;
                unlink(task);
                if (level == 0) {
                    size--;
                    due.add(task);
                } else {
                    put(task);
                }
            }
        }
        now = Math.max(now, current);
    }

    /** The one that was added first, so that tasks of one tick keep their order. */
    private LoopTask last(int slot) {
        LoopTask task = firsts[slot];
        while (task.behind != null) {
            task = task.behind;
        }
        return task;
    }

    /** What is on it comes before all that is above it. */
    private int lowest() {
        int level = 0;
        while (used[level] == 0) {
            level++;
        }
        return level;
    }

    /** The tick at which the next slot of a level begins that has something. */
    private long next(int level) {
        long position = now >>> level * BITS;
        int ahead = Long.numberOfTrailingZeros(Long.rotateRight(used[level], (int) position));
        return Math.max(now, position + ahead << level * BITS);
    }
}
