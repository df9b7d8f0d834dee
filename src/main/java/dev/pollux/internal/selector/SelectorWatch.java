// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.selector;

import dev.pollux.internal.pollset.PollSet;
import sun.nio.ch.SelectionKeyImpl;

/**
 * All that looks for what is wrong with a selector: keys that make it spin, wakeups for nothing, a thread that has
 * ended.
 *
 * <p>Guarded by the selector's lock, except {@link #onWakeup} and {@link #onChange}, which are for any thread.
 * Allocates only when something is found.
 */
final class SelectorWatch {
    private final SpinDetector spins;
    private final WakeupStorms storms;
    private final LostThread lostThread;

    SelectorWatch(PollSet pollSet, KeyTable keys, SelectedKeys selectedKeys) {
        SelectorLog log = new SelectorLog(pollSet);
        storms = new WakeupStorms(pollSet.statistics(), keys, log);
        spins = new SpinDetector(pollSet, keys, selectedKeys, storms, log);
        lostThread = new LostThread(pollSet.statistics(), log, LostThread.PATIENCE_NANOS);
    }

    /**
     * A wait of a selection that may block has brought entries, which are not delivered yet.
     *
     * @param n       how many
     * @param usesSet whether they will be added to the set of selected keys
     */
    void onAwait(int n, boolean usesSet) {
        if (spins.isDue()) {
            look(n, usesSet);
        }
    }

    /** What goes wrong here must not break a selection. */
    private void look(int n, boolean usesSet) {
        try {
            spins.look(n, usesSet);
        } catch (RuntimeException | Error e) {
            return; // it is looked again
        }
    }

    /** Somebody has woken the selector, and perhaps a thread that was blocked in it. */
    void onWakeup(boolean wasBlocked) {
        if (!wasBlocked) {
            lostThread.onWakeup();
        }
        storms.onWakeup();
    }

    /** The interest of a key has changed, or it is new. */
    void onChange(SelectionKeyImpl key) {
        if (KeyState.of(key) == 0) {
            lostThread.onRegistration();
        }
    }

    void onDeregistration(SelectionKeyImpl key) {
        spins.forget(key);
    }
}
