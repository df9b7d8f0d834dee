// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.verdict;

import dev.pollux.internal.count.Counter;
import dev.pollux.internal.count.Loop;
import dev.pollux.internal.count.LoopStatistics;
import dev.pollux.internal.count.Loops;
import dev.pollux.internal.pollset.PollSet;
import java.nio.channels.SelectionKey;
import java.util.Map;
import java.util.WeakHashMap;

/**
 * All that looks for what is wrong with a selector: keys that make it spin, wakeups for nothing, a thread that has
 * ended, and selectors that are replaced again and again. Guarded by the selector's lock, except {@link #onWakeup},
 * which is for any thread. Costs a selection one subtraction. Allocates for the first {@value Limits#CHECK_INTERVAL}
 * waits, and when something is found.
 */
public final class SelectorWatch {
    /** When such a selector was closed; 0 if none was. Racy: then an examination begins late. */
    private static long lastShortLife;

    private final Loop selector;
    private final PollSet pollSet;
    private final WatchedKeys keys;

    /** How many waits are left until the next look. Few at first if this may replace a selector that has spun. */
    private int left;

    /** Null before the first look. */
    private SpinDetector spins;
    private WakeupStorms storms;

    public SelectorWatch(Loop selector, PollSet pollSet, WatchedKeys keys) {
        this.selector = selector;
        this.pollSet = pollSet;
        this.keys = keys;
        long last = lastShortLife;
        boolean isReplacement = last != 0 && System.nanoTime() - last < Limits.SECOND;
        left = isReplacement ? Limits.MEAN_STRIDE : Limits.CHECK_INTERVAL;
    }

    /**
     * A wait that may block has brought {@code n} entries, which are not delivered yet. They will be added to the set
     * of selected keys if the selection {@code usesSet}.
     */
    public void onAwait(int n, boolean usesSet) {
        if (--left <= 0) {
            look(n, usesSet);
        }
    }

    /** What goes wrong here must not break a selection: it is looked again. */
    private void look(int n, boolean usesSet) {
        left = Limits.CHECK_INTERVAL;
        try {
            if (!Detectors.areOn()) {
                left = Integer.MAX_VALUE;
            } else if (spins == null) {
                WatchThread.requireStack();
                pollSet.statistics().noteUse();
                storms = new WakeupStorms(selector, keys);
                spins = new SpinDetector(selector, pollSet, keys, storms);
                boolean isEarly = pollSet.statistics().count(Counter.SELECTIONS) <= Limits.MEAN_STRIDE;
                left = isEarly ? spins.beginEarly(n) : left;
            } else {
                left = spins.look(n, usesSet);
            }
        } catch (RuntimeException | Error e) {
            Loops.caught = e;
        }
    }

    /** A key has left the selector: what is suspected must not keep it alive, nor what is attached to it. */
    public void onRemoved(SelectionKey key) {
        if (spins != null && spins.forget(key)) {
            Verdicts.of(selector).onSpinOver();
        }
    }

    public void onWakeup() {
        WakeupStorms seen = storms; // racy: the first ones may be missed
        try {
            if (seen != null) {
                seen.onWakeup();
            }
        } catch (RuntimeException | Error e) {
            Loops.caught = e; // a wakeup must not break
        }
    }

    /** The selector is about to be closed. What goes wrong here must not keep it open. */
    public void onClose() {
        try {
            if (isShortLived(pollSet.statistics()) && Detectors.areOn()) {
                onShortLife(pollSet.statistics());
            }
            if (spins != null) {
                spins.endExamination();
            }
        } catch (RuntimeException | Error e) {
            Loops.caught = e;
        }
    }

    private static boolean isShortLived(LoopStatistics statistics) {
        long selections = statistics.count(Counter.SELECTIONS);
        return selections >= Limits.MIN_SELECTIONS && selections < Limits.MAX_SELECTIONS
                && statistics.elapsedNanos() < Limits.SECOND
                && statistics.count(Counter.BLOCKED_WAITS) * Limits.SOME <= selections;
    }

    private void onShortLife(LoopStatistics statistics) {
        long now = System.nanoTime();
        lastShortLife = now;
        long selections = statistics.count(Counter.SELECTIONS);
        Suspect suspect = spins == null ? null : spins.neverUsed();
        boolean isWoken = (selections - statistics.count(Counter.WAKEUPS)) * Limits.SOME <= selections
                && statistics.count(Counter.READY) * Limits.FEW <= selections;
        if ((suspect != null || isWoken) && Rebuilds.add(now, suspect == null ? statistics.thread() : null)) {
            statistics.noteUse();
            long rate = selections * Limits.SECOND / statistics.elapsedNanos();
            onRebuilds(suspect, selections, rate);
        }
    }

    /** Selectors are replaced again and again, for a suspect, or for wakeups if that is null. */
    private void onRebuilds(Suspect suspect, long selections, long rate) {
        String before = "Selectors are opened and closed again and again, " + Limits.MIN_REBUILDS + " of them within"
                + " a second, the last one after " + selections + " selections: a new one has the same fault. ";
        if (suspect == null) {
            WakeupStorms.handOver(selector, null, false, rate, before);
        } else {
            SpinFound.handOver(selector, suspect, rate, before);
        }
    }

    /**
     * Counts selectors that were closed soon after they had been opened, and had done nothing but spin. Some frameworks
     * replace a selector that returns at once several hundred times; so no single one of them lives long enough for its
     * fault to be found.
     *
     * <p>Of the whole virtual machine, for any thread.
     */
    static final class Rebuilds {
        private static long began = System.nanoTime() - Limits.SECOND;

        /** How many since then: by thread, or of those with a faulty key, whose key here is null. */
        static final Map<Thread, Integer> COUNTS = new WeakHashMap<>();

        /** When there was a warning. */
        static long warned = began - Limits.SILENCE_NANOS;

        private Rebuilds() {
        }

        /**
         * Another one: whether there were enough for a warning.
         *
         * @param thread that has selected, to count its selectors alone; null for a selector with a faulty key. Without
         *               one it may be an executor that has lived shortly, as others do whose threads are others
         */
        static synchronized boolean add(long now, Thread thread) {
            if (now - began >= Limits.SECOND) {
                began = now;
                COUNTS.clear();
            }
            boolean areMany = COUNTS.merge(thread, 1, Integer::sum) >= Limits.MIN_REBUILDS
                    && now - warned >= Limits.SILENCE_NANOS;
            if (areMany) {
                warned = now;
            }
            return areMany;
        }
    }
}
