// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.verdict;

import dev.pollux.internal.count.Counter;
import dev.pollux.internal.count.Loop;
import dev.pollux.internal.count.LoopStatistics;
import dev.pollux.internal.pollset.EventBuffer;
import dev.pollux.internal.pollset.PollSet;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.util.Collections;
import java.util.Set;
import java.util.WeakHashMap;
import sun.nio.ch.SelectionKeyImpl;

/**
 * Finds the key that makes a selector spin, so that a processor is busy for nothing. It becomes suspicious after
 * {@value Limits#CHECK_INTERVAL} waits within a quarter of a second, or within a second if none has blocked. Then it
 * examines some of the channels that are ready. It takes samples, some {@value Limits#MEAN_STRIDE} waits apart: a
 * channel that a sample reports, and that the application does not work on until the next one, was reported for
 * nothing. See {@link Suspect} for how many of these are too many. Where work can't be told, no channel is blamed.
 *
 * <p>{@code selectNow} does not count: who calls it in a loop has other things to do.
 *
 * <p>Guarded by the selector's lock. Allocates when it suspects channels for the first time, and when it blames one.
 */
final class SpinDetector {
    private final Loop selector;
    private final EventBuffer entries;
    private final LoopStatistics statistics;
    private final WatchedKeys keys;
    private final WakeupStorms storms;

    /** Null before the first examination. */
    private Suspect[] suspects;

    /** How many waits there are from the last look to the next one. */
    private int granted;

    /** When the last {@link Limits#CHECK_INTERVAL} waits began, how many have come since, and blocked before. */
    private long looked;
    private int waits;
    private long blocked;

    /** How many of the suspects are not cleared; 0: nothing is examined. */
    private int suspected;

    /** When this examination began, and after how many selections. */
    private long began;
    private long begun;

    /** When the last one ended. */
    private long ended;

    /** When the last sample was taken, and how many waits had blocked before it. */
    private long sampled;
    private long blockedBefore;

    /** How long this examination has taken, without pauses. */
    private long examined;

    /** How many waits had blocked before this examination, and the shortest time for a wait since. */
    private long blockedAtFirst;
    private long shortest;

    /** Most entries that a sample of this examination had. */
    private int most;

    /** Where in the entries the next examination looks for suspects: among many that are ready each has its turn. */
    private int turn;

    /** Makes the distance of samples random: what an application does in turns must not keep step with them. */
    private int random = (int) System.nanoTime() | 1;

    /** Those that were blamed: once is enough. Of a channel that is registered again and again, too. */
    private final Set<SelectableChannel> blamed = Collections.newSetFromMap(new WeakHashMap<>());

    SpinDetector(Loop selector, PollSet pollSet, WatchedKeys keys, WakeupStorms storms) {
        this.selector = selector;
        this.entries = pollSet.entries();
        this.statistics = pollSet.statistics();
        this.keys = keys;
        this.storms = storms;
        granted = Limits.CHECK_INTERVAL;
        rest(System.nanoTime());
        ended = looked - Limits.REST_NANOS;
    }

    /** As {@link SelectorWatch#onAwait}, when no waits are left: how many there are until the next look. */
    int look(int n, boolean usesSet) {
        waits += granted;
        long now = System.nanoTime();
        if (suspected != 0) {
            sample(n, usesSet, now);
        }
        if (waits >= Limits.CHECK_INTERVAL) {
            takeStock(n, now);
        }
        granted = suspected == 0 ? Limits.CHECK_INTERVAL - waits : stride();
        return granted;
    }

    /** Examines what is ready now, without a look at how many waits there were; else as {@link #look}. */
    int beginEarly(int n) {
        begin(n, System.nanoTime());
        granted = suspected == 0 ? Limits.CHECK_INTERVAL : stride();
        return granted;
    }

    /** A suspect that no sample of the examination that goes on speaks for; null if there is none. */
    Suspect neverUsed() {
        for (int i = 0; suspected != 0 && i < suspects.length; i++) {
            if (suspects[i].isSuspected() && suspects[i].isUnusedSoFar()) {
                return suspects[i];
            }
        }
        return null;
    }

    private int stride() {
        random ^= random << 13;
        random ^= random >>> 17;
        random ^= random << 5;
        return Limits.MEAN_STRIDE / 2 + (random & Limits.MEAN_STRIDE - 1);
    }

    private void takeStock(int n, long now) {
        long passed = now - looked;
        boolean areMany = passed < Limits.MANY_WAITS_NANOS || passed < Limits.SECOND && !hasBlocked(blocked);
        if (areMany && suspected == 0 && now - ended >= Limits.REST_NANOS) {
            begin(n, now);
        }
        if (passed < Limits.MANY_WAITS_NANOS) {
            storms.onManyWaits(waits, now);
        } else {
            storms.onFewWaits();
        }
        rest(now);
    }

    private boolean hasBlocked(long before) {
        return statistics.count(Counter.BLOCKED_WAITS) != before;
    }

    private void rest(long now) {
        waits = 0;
        looked = now;
        blocked = statistics.count(Counter.BLOCKED_WAITS);
    }

    private void begin(int n, long now) {
        if (suspects == null) {
            suspects = newSuspects();
        }
        began = now;
        begun = statistics.count(Counter.SELECTIONS);
        examined = 0;
        most = n;
        blockedAtFirst = statistics.count(Counter.BLOCKED_WAITS);
        shortest = Long.MAX_VALUE;
        turn = n == 0 ? 0 : turn % n;
        for (int i = 0; i < n && suspected < Limits.MAX_SUSPECTS; i++, turn++) {
            int entry = turn % n;
            SelectionKeyImpl key = keyOf(entry);
            int events = wanted(key, entry);
            if (events != 0 && !blamed.contains(key.channel()) && suspects[suspected].begin(key, events)) {
                suspected++;
            }
        }
        noteSample(now);
        if (suspected != 0) {
            markReported(n);
        }
    }

    private void noteSample(long now) {
        sampled = now;
        blockedBefore = statistics.count(Counter.BLOCKED_WAITS);
    }

    private static Suspect[] newSuspects() {
        Suspect[] all = new Suspect[Limits.MAX_SUSPECTS];
        for (int i = 0; i < all.length; i++) {
            all[i] = new Suspect();
        }
        return all;
    }

    private SelectionKeyImpl keyOf(int i) {
        return entries.isWakeup(i) ? null : keys.find(entries.fd(i), entries.generation(i));
    }

    /** What the entry says of a key, as far as it asks for that; 0 if there is no key. */
    private int wanted(SelectionKeyImpl key, int i) {
        int asked = key == null ? 0 : keys.asked(key);
        return asked == 0 ? 0 : entries.events(i) & (asked | PollSet.ERR | PollSet.HUP);
    }

    private void sample(int n, boolean usesSet, long now) {
        long passed = now - sampled;
        if (passed > Limits.REST_NANOS && hasBlocked(blockedBefore)) {
            clearAll(); // there are few waits now
        } else {
            examined += Math.min(passed, Limits.MAX_BETWEEN_SAMPLES);
            most = Math.max(most, n);
            shortest = Math.min(shortest, passed / granted);
            judge(usesSet);
            markReported(n);
            blame(now);
        }
        noteSample(now);
        if (suspected == 0) {
            ended = now;
        }
    }

    /** Leaves no trace of one at the suspects. */
    void endExamination() {
        if (suspected != 0) {
            clearAll();
        }
    }

    /** A key was removed: whether it was blamed. Its channel stays suspected: it may be registered again and again. */
    boolean forget(SelectionKey key) {
        for (int i = 0; suspected != 0 && i < suspects.length; i++) {
            suspects[i].forget(key);
        }
        return !blamed.isEmpty() && blamed.contains(key.channel());
    }

    private void clearAll() {
        for (Suspect suspect : suspects) {
            suspect.clear();
        }
        suspected = 0;
    }

    private void judge(boolean usesSet) {
        int patience = patience();
        for (Suspect suspect : suspects) {
            if (suspect.isSuspected()) {
                suspect.judge(patience, usesSet && suspect.key != null && keys.isSelected(suspect.key));
            }
        }
    }

    /** How many samples an application needs that takes one of the ready keys in each selection, twice over. */
    private int patience() {
        return 2 * most / Limits.MEAN_STRIDE;
    }

    /** Tells each suspect what this wait has reported. Among thousands of entries few are of a suspect. */
    private void markReported(int n) {
        long bits = 0;
        for (Suspect suspect : suspects) {
            bits |= suspect.isSuspected() ? 1L << suspect.fd : 0;
        }
        int others = 0;
        for (int i = 0; i < n; i++) {
            if ((bits & 1L << entries.fd(i)) != 0 || others == 0) {
                others += isOther(i) ? 1 : 0;
            }
        }
        for (Suspect suspect : suspects) {
            suspect.endSample(others == 0);
        }
    }

    /** Whether an entry is of a key that is no suspect. If it is one, that notes it. */
    private boolean isOther(int i) {
        SelectionKeyImpl key = keyOf(i);
        int events = wanted(key, i);
        if (events == 0) {
            return false;
        }
        for (Suspect suspect : suspects) {
            if (suspect.isOf(key)) {
                suspect.onReported(key, events);
                return false;
            }
        }
        return true;
    }

    private void blame(long now) {
        long rate = (statistics.count(Counter.SELECTIONS) - begun) * Limits.SECOND / Math.max(1, now - began);
        int patience = patience();
        suspected = 0;
        for (Suspect suspect : suspects) {
            if (suspect.isSuspected()) {
                decide(suspect, patience, rate);
            }
            suspected += suspect.isSuspected() ? 1 : 0;
        }
    }

    private void decide(Suspect suspect, int patience, long rate) {
        boolean isOver = examined >= Limits.SECOND;
        boolean fast = shortest < Limits.MIN_ACCEPT_NANOS && !hasBlocked(blockedAtFirst);
        if (examined >= Limits.MIN_EXAMINED_NANOS && suspect.isNeverUsed(patience)
                || isOver && suspect.isSeldomUsed(patience, fast)) {
            if (SpinFound.handOver(selector, suspect, rate, "")) { // else it is tried again
                blamed.add(suspect.channel);
                suspect.clear();
            }
        } else if (suspect.isHealthy() || isOver && suspect.isDecided(patience)) {
            suspect.clear();
        }
    }
}
