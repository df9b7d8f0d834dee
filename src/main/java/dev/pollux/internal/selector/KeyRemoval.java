// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.selector;

import dev.pollux.internal.pollset.PollSet;
import dev.pollux.internal.registration.PollFallback;
import sun.nio.ch.SelectionKeyImpl;

/**
 * Takes keys out of the mechanism, also those whose descriptor was closed behind the channel's back. What the kernel
 * does not let go is the {@link KeyRegistrar}'s affair. Guarded by the selector's lock. No allocation.
 */
final class KeyRemoval {
    private final PollSet pollSet;
    private final PollFallback fallback;
    private final KeyTable keys;
    private final Refusals refusals;

    KeyRemoval(PollSet pollSet, PollFallback fallback, KeyTable keys, Refusals refusals) {
        this.pollSet = pollSet;
        this.fallback = fallback;
        this.keys = keys;
        this.refusals = refusals;
    }

    /**
     * Takes out a key that is cancelled, or whose channel has another socket under the same number
     * (DatagramChannel.disconnect on macOS). Now, because the descriptor is closed and used again right after.
     */
    void remove(SelectionKeyImpl key) {
        int state = KeyState.of(key);
        if (state == 0) {
            return;
        }
        int fd = KeyTable.descriptor(key);
        if (keys.at(fd) == key) { // else it was closed behind the channel's back, and the number is another key's
            if (KeyState.held(state) != 0) {
                pollSet.remove(fd);
            }
            fallback.forget(fd);
            pollSet.streams().release(fd);
            keys.clear(fd);
        }
        KeyState.clear(key);
        refusals.forget(key);
    }

    /**
     * Takes out a key whose descriptor was closed other than by its channel. It is ready with the events that this
     * returns, once for each interest, so that the channel's next call fails and says so.
     */
    int removeClosed(SelectionKeyImpl key) {
        int state = KeyState.of(key);
        int asked = KeyState.asked(state);
        int fd = KeyTable.descriptor(key);
        pollSet.remove(fd);
        fallback.forget(fd);
        KeyState.set(key, KeyState.generation(state), 0, asked);
        return refusals.record(key, Refusals.CLOSED, asked) && asked != 0 ? PollSet.ERR : 0;
    }
}
