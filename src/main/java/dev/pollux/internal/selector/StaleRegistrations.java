// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.selector;

import dev.pollux.internal.pollset.PollSet;
import java.util.HashSet;
import java.util.Set;
import sun.nio.ch.SelectionKeyImpl;

/**
 * What the mechanism holds although it should not: registrations that have outlived their keys, because their removal had
 * failed or because the open file lives on under another descriptor (epoll(7), questions and answers, 6).
 *
 * <p>Guarded by the selector's lock. Allocates when there is one.
 */
final class StaleRegistrations {
    private static final int MOST_REMOVED = 1000;

    /** Descriptors and generations that a removal was tried on, to no effect if they turn up again. */
    private final Set<Long> removed = new HashSet<>();

    /** Whether something is armed in the kernel that can't be taken away one by one. */
    private boolean irremovable;

    /**
     * An event came that is for no key. A removal is tried, unless it would hit the key that has the number now; if there is
     * more of it, everything must be registered anew with a fresh object of the kernel.
     */
    void found(int fd, int generation, KeyTable keys, PollSet pollSet) {
        SelectionKeyImpl now = keys.at(fd);
        boolean reused = now != null && KeyState.held(KeyState.of(now)) != 0;
        if (reused || removed.size() == MOST_REMOVED || !removed.add((long) fd << Integer.SIZE | generation)
                || pollSet.update(fd, generation, KeyState.EVENTS, 0) != 0) {
            irremovable = true;
        }
    }

    /** Something that is armed in vain could not be disarmed. */
    void foundIrremovable() {
        irremovable = true;
    }

    /** Whether everything must be registered anew. */
    boolean areIrremovable() {
        return irremovable;
    }

    /** The kernel's object was replaced. */
    void areGone() {
        irremovable = false;
        removed.clear();
    }
}
