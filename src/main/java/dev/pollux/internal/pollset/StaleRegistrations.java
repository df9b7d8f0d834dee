// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.pollset;

import java.util.HashSet;
import java.util.Set;

/**
 * What the mechanism holds although it should not: registrations that have outlived what they were for, because their
 * removal had failed or because the open file lives on under another descriptor (epoll(7), questions and answers, 6).
 *
 * <p>Guarded by the lock of its owner. Allocates when there is one.
 */
public final class StaleRegistrations {
    private static final int MOST_REMOVED = 1000;

    /** Descriptors and generations that a removal was tried on, to no effect if they turn up again; null before. */
    private Set<Long> removed;

    /** Whether something is armed in the kernel that can't be taken away one by one. */
    private boolean irremovable;

    /**
     * An event came whose registration has outlived what it was for. A removal is tried, unless it would hit the one
     * who has the number now. If that does not help, everything must be registered anew with a fresh object of the
     * kernel.
     *
     * @param reused whether the mechanism holds something else under that number
     */
    public void onEvent(int fd, int generation, boolean reused, PollSet pollSet) {
        if (removed == null) {
            removed = new HashSet<>();
        }
        if (reused || removed.size() == MOST_REMOVED || !removed.add(Cookie.of(fd, generation))
                || pollSet.remove(fd) != 0) {
            irremovable = true;
        }
    }

    /** Something that is armed in vain could not be disarmed. */
    public void onFailedRemoval() {
        irremovable = true;
    }

    /** Whether everything must be registered anew. */
    public boolean needRebuild() {
        return irremovable;
    }

    /** The kernel's object was replaced. */
    public void onRebuilt() {
        irremovable = false;
        removed = null;
    }
}
