// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.watch;

import dev.pollux.internal.insight.Counter;
import dev.pollux.internal.insight.LoopStatistics;
import dev.pollux.internal.pollset.EventBuffer;
import dev.pollux.internal.pollset.PollSet;
import java.util.HashSet;
import java.util.Set;
import sun.nio.ch.SelectionKeyImpl;

/**
 * Finds the key that makes a selector spin, so that a processor is busy for nothing. It becomes suspicious when
 * {@value #CHECK_INTERVAL} waits within a second bring something without blocking. Then it examines some of the keys
 * that are ready. A key is to blame if each selection reports it with the same events, for a tenth of a second at
 * least, and the application has read and written nothing meanwhile. Where that can't be told, no key is blamed.
 *
 * <p>{@code selectNow} does not count: who calls it in a loop has other things to do.
 *
 * <p>Guarded by the selector's lock. Allocates when it suspects keys for the first time, and when it blames one.
 */
final class SpinDetector {
    /** Number of waits between two looks at the clock. */
    static final int CHECK_INTERVAL = 1024;

    /** Selections of an examination between two checks of what the application has read and written. */
    private static final int CHECKED = 64;

    private static final long SECOND = 1_000_000_000L;

    /** An examination takes that long at least: another thread may be about to read. */
    private static final long MIN_NANOS = SECOND / 10;

    /** The time between two checks counts for no more than this: in a pause the application could not have read. */
    private static final long MAX_BETWEEN_CHECKS = MIN_NANOS / 4;

    /** Examinations are no nearer to each other, since a healthy selector under load has them all the time. */
    private static final long REST_NANOS = SECOND / 4;

    private static final int MAX_SUSPECTS = 16;

    private final EventBuffer entries;
    private final LoopStatistics statistics;
    private final WatchedKeys keys;
    private final WakeupStorms storms;
    private final SelectorLog log;

    /** Null before the first examination. */
    private Suspect[] suspects;

    private int left;

    /** When that was last looked at, and how many waits had blocked. */
    private long looked;
    private long blocked;

    /** How many of the suspects are not cleared; 0: nothing is examined. */
    private int suspected;

    /** When this examination began, the last one if there is none, and after how many selections. */
    private long began;
    private long begun;

    /** Waits that this examination has seen. */
    private int examined;

    /** When the suspects were checked last, and how long they have been idle, without pauses. */
    private long checked;
    private long idle;

    /** Where in the entries the next examination looks for suspects: among many that are ready each has its turn. */
    private int turn;

    /** Those that were blamed: once is enough. */
    private final Set<SelectionKeyImpl> blamed = new HashSet<>();

    SpinDetector(PollSet pollSet, WatchedKeys keys, WakeupStorms storms, SelectorLog log) {
        this.entries = pollSet.entries();
        this.statistics = pollSet.statistics();
        this.keys = keys;
        this.storms = storms;
        this.log = log;
        rest(System.nanoTime());
        began = looked - REST_NANOS;
    }

    /** As {@link SelectorWatch#onAwait}, when no waits are left: how many there are until the next look. */
    int look(int n, boolean usesSet) {
        if (suspected == 0) {
            takeStock(n);
        } else {
            examine(n, usesSet);
        }
        return left;
    }

    private void takeStock(int n) {
        long now = System.nanoTime();
        long passed = now - looked;
        boolean hasBlocked = hasBlocked();
        rest(now);
        if (passed < SECOND && !hasBlocked && now - began >= REST_NANOS) {
            begin(n, now);
        }
        if (passed < WakeupStorms.MIN_NANOS) {
            storms.onManyWaits(now);
        } else {
            storms.onFewWaits();
        }
    }

    private boolean hasBlocked() {
        return statistics.count(Counter.BLOCKED_WAITS) != blocked;
    }

    /** Looks again after many waits. */
    private void rest(long now) {
        left = CHECK_INTERVAL;
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
        checked = now;
        idle = 0;
        turn = n == 0 ? 0 : turn % n;
        for (int i = 0; i < n && suspected < MAX_SUSPECTS; i++, turn++) {
            SelectionKeyImpl key = wanted(turn % n);
            if (key != null && !blamed.contains(key) && suspects[suspected].begin(key, entries.events(turn % n))) {
                suspected++;
            }
        }
        left = suspected == 0 ? CHECK_INTERVAL : 1;
    }

    private static Suspect[] newSuspects() {
        Suspect[] all = new Suspect[MAX_SUSPECTS];
        for (int i = 0; i < all.length; i++) {
            all[i] = new Suspect();
        }
        return all;
    }

    /** The key of an entry, if it asks for what the entry says. */
    private SelectionKeyImpl wanted(int i) {
        if (entries.isWakeup(i)) {
            return null;
        }
        SelectionKeyImpl key = keys.find(entries.fd(i), entries.generation(i));
        int wanted = PollSet.ERR | PollSet.HUP | (key == null ? 0 : keys.asked(key));
        return (entries.events(i) & wanted) == 0 ? null : key;
    }

    private void examine(int n, boolean usesSet) {
        left = 1;
        examined++;
        if (hasBlocked()) {
            clearAll();
        } else {
            clearUnreported(n);
        }
        if (suspected != 0 && examined % CHECKED == 0) {
            check(usesSet);
        }
        if (suspected == 0) {
            rest(System.nanoTime());
        }
    }

    private void clearAll() {
        for (Suspect suspect : suspects) {
            suspect.clear();
        }
        suspected = 0;
    }

    private void clearUnreported(int n) {
        for (int i = 0; i < n; i++) {
            SelectionKeyImpl key = wanted(i);
            for (Suspect suspect : suspects) {
                suspect.onReported(key, entries.events(i));
            }
        }
        for (Suspect suspect : suspects) {
            suspect.onAllReported();
        }
        countSuspected();
    }

    private void check(boolean usesSet) {
        keys.findSelectedSet();
        for (Suspect suspect : suspects) {
            suspect.check(usesSet && suspect.key() != null && keys.isSelected(suspect.key()));
        }
        long now = System.nanoTime();
        idle += Math.min(now - checked, MAX_BETWEEN_CHECKS);
        checked = now;
        if (idle >= MIN_NANOS) {
            blameAll((statistics.count(Counter.SELECTIONS) - begun) * SECOND / (now - began));
            clearAll();
        }
        countSuspected();
    }

    private void countSuspected() {
        suspected = 0;
        for (Suspect suspect : suspects) {
            suspected += suspect.key() == null ? 0 : 1;
        }
    }

    private void blameAll(long rate) {
        for (Suspect suspect : suspects) {
            if (suspect.key() != null) {
                blamed.add(suspect.key());
                log.onSpin(suspect, rate);
            }
        }
    }

    void forget(SelectionKeyImpl key) {
        blamed.remove(key);
    }
}
