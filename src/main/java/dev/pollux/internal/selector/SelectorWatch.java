// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.selector;

import dev.pollux.internal.pollset.PollSet;
import sun.nio.ch.SelectionKeyImpl;

/**
 * All that looks for what is wrong with a selector: keys that make it spin, wakeups for nothing, a thread that has
 * ended.
 *
 * <p>Guarded by the selector's lock, except {@link #onWakeup} and {@link #onChange}, which are for any thread. Costs a
 * selection one subtraction. Allocates for the first registration, for the first {@value
 * SpinDetector#CHECK_INTERVAL} waits, and when something is found.
 */
final class SelectorWatch {
    private final PollSet pollSet;
    private final KeyTable keys;
    private final SelectedKeys selectedKeys;

    /** Null before something was registered. */
    private volatile LostThread lostThread;

    /** How many waits are left until the next look. */
    private int left = SpinDetector.CHECK_INTERVAL;

    /** Null before the first look. */
    private SpinDetector spins;
    private WakeupStorms storms;

    SelectorWatch(PollSet pollSet, KeyTable keys, SelectedKeys selectedKeys) {
        this.pollSet = pollSet;
        this.keys = keys;
        this.selectedKeys = selectedKeys;
    }

    /**
     * A wait of a selection that may block has brought entries, which are not delivered yet.
     *
     * @param n       how many
     * @param usesSet whether they will be added to the set of selected keys
     */
    void onAwait(int n, boolean usesSet) {
        if (--left <= 0) {
            look(n, usesSet);
        }
    }

    /** What goes wrong here must not break a selection: it is looked again. */
    private void look(int n, boolean usesSet) {
        left = SpinDetector.CHECK_INTERVAL;
        try {
            if (spins == null) {
                SelectorLog log = new SelectorLog(pollSet);
                storms = new WakeupStorms(pollSet.statistics(), keys, log);
                spins = new SpinDetector(pollSet, keys, selectedKeys, storms, log);
            } else {
                left = spins.look(n, usesSet);
            }
        } catch (RuntimeException | Error e) {
            return;
        }
    }

    /** The selector was woken, and perhaps a thread that was blocked in it. */
    void onWakeup(boolean wasBlocked) {
        LostThread looking = lostThread;
        if (!wasBlocked && looking != null) {
            looking.onWakeup();
        }
        WakeupStorms seen = storms; // racy: the first ones may be missed
        if (seen != null) {
            seen.onWakeup();
        }
    }

    /** The interest of a key has changed, or it is new. */
    void onChange(SelectionKeyImpl key) {
        if (KeyState.of(key) == 0) {
            lostThread().onRegistration();
        }
    }

    /** Racy: what another thread makes at the same moment is as good. */
    private LostThread lostThread() {
        if (lostThread == null) {
            lostThread = new LostThread(pollSet.statistics(), new SelectorLog(pollSet), LostThread.PATIENCE_NANOS);
        }
        return lostThread;
    }

    void onDeregistration(SelectionKeyImpl key) {
        if (spins != null) {
            spins.forget(key);
        }
    }
}
