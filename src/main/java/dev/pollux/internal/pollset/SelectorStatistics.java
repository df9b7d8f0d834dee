// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.pollset;

/**
 * What a selector and its mechanism have done since they were opened. Plain counters, so that counting costs nothing:
 * other threads read numbers that may be a moment old.
 *
 * <p>Guarded by the selector's lock, wakeups by that of {@link PollSet#wakeup}. No allocation.
 */
public final class SelectorStatistics {
    private long selections;
    private long readyKeys;
    private long blockedWaits;
    private long wakeupCalls;
    private long changes;
    private long refusals;
    private long outOfBandBytes;

    SelectorStatistics() {
    }

    /** A selection has returned so many ready keys. */
    public void onSelection(int ready) {
        selections++;
        readyKeys += ready;
    }

    void onBlockedWait() {
        blockedWaits++;
    }

    void onWakeupCall() {
        wakeupCalls++;
    }

    void onChange() {
        changes++;
    }

    /** The mechanism has refused the registration or the interest of a key. */
    public void onRefusal() {
        refusals++;
    }

    /** So many bytes of out-of-band data were read and dropped. */
    public void onOutOfBand(int bytes) {
        outOfBandBytes += bytes;
    }

    /** Selections that have returned. */
    public long selections() {
        return selections;
    }

    /** Ready sets that selections have updated, and keys they have handed to actions. */
    public long readyKeys() {
        return readyKeys;
    }

    /** Waits that blocked or parked a thread, instead of polling. */
    public long blockedWaits() {
        return blockedWaits;
    }

    /** Wakeups that needed a system call, because a thread was blocked. */
    public long wakeupCalls() {
        return wakeupCalls;
    }

    /** Registrations, changes and removals that the mechanism was told, also those that it has refused. */
    public long changes() {
        return changes;
    }

    /** Registrations and changes of interest that the mechanism has refused, each time it was asked. */
    public long refusals() {
        return refusals;
    }

    /** Bytes of out-of-band data that were read and dropped. */
    public long outOfBandBytes() {
        return outOfBandBytes;
    }

    @Override
    public String toString() {
        return selections + " selections, " + readyKeys + " ready keys, " + blockedWaits + " blocked waits, "
                + wakeupCalls + " wakeup calls, " + changes + " changes, " + refusals + " refusals, " + outOfBandBytes
                + " out-of-band bytes discarded";
    }
}
