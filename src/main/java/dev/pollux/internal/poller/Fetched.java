// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.poller;

import dev.pollux.internal.pollset.PollSet;

/**
 * What was fetched from the mechanism and not handed out yet: it stays in the {@link PollSet}'s buffer, which nobody may fill
 * again before that.
 *
 * <p>Guarded by the entrance's monitor. No allocation.
 */
final class Fetched {
    private final PollSet pollSet;
    private final Watch watch;

    /** The entries from next to limit. */
    private int next, limit;

    Fetched(PollSet pollSet, Watch watch) {
        this.pollSet = pollSet;
        this.watch = watch;
    }

    boolean isEmpty() {
        return next == limit;
    }

    /** So many entries have been fetched. */
    void put(int count) {
        next = 0;
        limit = count;
    }

    /** Gives a batch its share: at most what it wants, and what is left to the others that want some. */
    void take(Batch batch, int most, int others) {
        while (batch.size() < most && watch.hasRefused()) {
            batch.reserve();
            batch.append(watch.takeRefused(), PollSet.NVAL);
        }
        int share = Math.min(most, batch.size() + (limit - next + others) / (others + 1));
        while (next < limit && batch.size() < share) {
            batch.reserve();
            takeEntry(batch, next);
            next++; // not before: an error in the middle must not lose the entry
        }
        if (next == limit && limit != 0) {
            next = limit = 0;
            pollSet.forget();
        }
    }

    private void takeEntry(Batch batch, int i) {
        Member member = pollSet.isWakeup(i) ? null : watch.reported(pollSet.fd(i), pollSet.gen(i));
        int told = member == null ? 0 : watch.tellOwner(member, pollSet.events(i));
        if (told != 0) {
            batch.append(member, told);
        }
    }
}
