// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.watch;

import dev.pollux.internal.insight.Detectors;
import dev.pollux.internal.pollset.PollSet;

/**
 * All that looks for what is wrong with a selector: keys that make it spin, wakeups for nothing, a thread that has
 * ended.
 *
 * <p>Guarded by the selector's lock, except {@link #onWakeup}, which is for any thread. Costs a selection one
 * subtraction. Allocates for the first {@value SpinDetector#CHECK_INTERVAL} waits, and when something is found.
 */
public final class SelectorWatch {
    private final PollSet pollSet;
    private final WatchedKeys keys;

    /** How many waits are left until the next look. */
    private int left = SpinDetector.CHECK_INTERVAL;

    /** Null before the first look. */
    private SpinDetector spins;
    private WakeupStorms storms;

    public SelectorWatch(PollSet pollSet, WatchedKeys keys) {
        this.pollSet = pollSet;
        this.keys = keys;
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
        left = SpinDetector.CHECK_INTERVAL;
        try {
            if (!Detectors.areOn()) {
                left = Integer.MAX_VALUE;
            } else if (spins == null) {
                SelectorLog log = new SelectorLog(pollSet);
                storms = new WakeupStorms(pollSet.statistics(), keys, log);
                spins = new SpinDetector(pollSet, keys, storms, log);
            } else {
                left = spins.look(n, usesSet);
            }
        } catch (RuntimeException | Error e) {
            return;
        }
    }

    public void onWakeup() {
        WakeupStorms seen = storms; // racy: the first ones may be missed
        if (seen != null) {
            seen.onWakeup();
        }
    }
}
