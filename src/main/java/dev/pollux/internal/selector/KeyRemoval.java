// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.selector;

import dev.pollux.internal.pollset.PollFallback;
import dev.pollux.internal.pollset.PollSet;
import dev.pollux.internal.pollset.StaleRegistrations;
import java.io.IOException;
import sun.nio.ch.SelChImpl;
import sun.nio.ch.SelectionKeyImpl;

/**
 * The way of a key out of the mechanism, also where the kernel refuses that:
 *
 * <ol>
 * <li>{@link #remove} takes the key out. A failure is not reported: nothing that was asked for is lost by it.
 * <li>If the registration that was left behind reports an event, {@link #onStaleEvent} removes it.
 * <li>If that fails too, or would hit another key, the kernel's object is replaced by a fresh one, and every key is
 *     registered with that: {@link #rebuildIfNeeded}, after the events were delivered.
 * <li>An error in the middle of that leaves keys unregistered. {@link #finishRebuild} registers them before the next
 *     wait.
 * </ol>
 *
 * <p>Guarded by the selector's lock. Allocates when something is stale.
 */
final class KeyRemoval {
    private final PollSet pollSet;
    private final PollFallback fallback;
    private final KeyTable keys;
    private final Refusals refusals;
    private final StaleRegistrations stale = new StaleRegistrations();

    /** Whether the kernel's object is a fresh one, or may be, that does not hold every key yet. */
    private boolean unfinished;

    KeyRemoval(PollSet pollSet, PollFallback fallback, KeyTable keys, Refusals refusals) {
        this.pollSet = pollSet;
        this.fallback = fallback;
        this.keys = keys;
        this.refusals = refusals;
    }

    /**
     * Takes a key out of the mechanism, now, because it is cancelled or its channel has another socket under the same
     * number (DatagramChannel.disconnect on macOS): its descriptor is closed and used again right after.
     */
    void remove(SelectionKeyImpl key) {
        int state = KeyState.of(key);
        if (state == 0) {
            return;
        }
        int fd = descriptor(key);
        if (keys.at(fd) == key) { // else it was closed behind the channel's back, and the number is another key's
            if (KeyState.held(state) != 0) {
                pollSet.remove(fd);
            }
            fallback.forget(fd);
            pollSet.releaseStream(fd);
            keys.clear(fd);
        }
        KeyState.clear(key);
        refusals.forget(key);
    }

    private static int descriptor(SelectionKeyImpl key) {
        return ((SelChImpl) key.channel()).getFDVal();
    }

    /**
     * Takes out a key whose descriptor is not open: somebody has closed it behind the channel's back. The channel's
     * next call will fail and say so, hence the key is ready, once for each interest.
     *
     * @return the events that it is ready with
     */
    int removeClosed(SelectionKeyImpl key) {
        int state = KeyState.of(key);
        int asked = KeyState.asked(state);
        int fd = descriptor(key);
        pollSet.remove(fd);
        fallback.forget(fd);
        KeyState.set(key, KeyState.generation(state), 0, asked);
        return refusals.record(key, Refusals.CLOSED, asked) && asked != 0 ? PollSet.ERR : 0;
    }

    /** An event came for a registration that has outlived its key. */
    void onStaleEvent(int fd, int generation) {
        SelectionKeyImpl now = keys.at(fd);
        stale.onEvent(fd, generation, now != null && KeyState.held(KeyState.of(now)) != 0, pollSet);
    }

    /** Something that is armed in vain could not be disarmed. */
    void onFailedDisarm() {
        stale.onFailedRemoval();
    }

    /**
     * Replaces the kernel's object if it holds what can't be removed. Not while events are being delivered: they were
     * fetched with what is armed now.
     *
     * @throws IOException if the kernel has no other object for us; then it is tried again after the next wait
     */
    void rebuildIfNeeded(KeyRegistrar registrar) throws IOException {
        if (!stale.needRebuild()) {
            return;
        }
        unfinished = true; // before the old object is given up, whatever fails after that
        try {
            pollSet.reopen();
        } catch (IOException e) {
            unfinished = false; // the old one stays
            throw e;
        }
        stale.onRebuilt();
        finishRebuild(registrar);
    }

    /** Registers the keys of a rebuild that broke off. */
    void finishRebuild(KeyRegistrar registrar) {
        if (unfinished) {
            for (int fd = 0; fd < keys.capacity(); fd++) {
                SelectionKeyImpl key = keys.at(fd);
                if (key != null) {
                    registrar.registerAnew(key);
                }
            }
            unfinished = false;
        }
    }
}
