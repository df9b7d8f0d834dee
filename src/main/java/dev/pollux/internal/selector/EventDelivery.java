// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.selector;

import dev.pollux.internal.insight.Counter;
import dev.pollux.internal.pollset.EventBuffer;
import dev.pollux.internal.pollset.PollSet;
import dev.pollux.internal.registration.PollFallback;
import dev.pollux.internal.watch.WatchedKeys;
import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.util.function.Consumer;
import sun.nio.ch.SelChImpl;
import sun.nio.ch.SelectionKeyImpl;

/**
 * Brings events back to their keys: finds the key of an entry, takes away what it does not ask for, and acts upon what
 * an event says beside that. Shows the keys to what looks for trouble.
 *
 * <p>Guarded by the selector's lock. No allocation of its own.
 */
final class EventDelivery implements WatchedKeys {
    /** {@link #deliver}: nothing came but events that were not asked for. */
    static final int NOTHING = -1;

    /** What an event says beside the events that were asked for. */
    private static final int SPECIAL = PollSet.NVAL | PollSet.FAILED | PollSet.PRI;

    private final PollSet pollSet;
    private final PollFallback fallback;
    private final KeyTable keys;
    private final SelectedKeys selectedKeys;
    private final KeyRegistrar registrar;
    private final KeyRemoval removal;

    EventDelivery(PollSet pollSet, PollFallback fallback, KeyTable keys, SelectedKeys selectedKeys,
            KeyRegistrar registrar, KeyRemoval removal) {
        this.pollSet = pollSet;
        this.fallback = fallback;
        this.keys = keys;
        this.selectedKeys = selectedKeys;
        this.registrar = registrar;
        this.removal = removal;
    }

    /**
     * Hands the events of the first {@code n} entries of the mechanism to their keys, and those of what the mechanism
     * has refused.
     *
     * @param deregistered whether an event without a key may be that of a key which was deregistered just now; else its
     *     registration was left behind
     * @return how many ready sets were updated, or {@link #NOTHING}
     */
    int deliver(int n, Consumer<SelectionKey> action, boolean deregistered) throws IOException {
        selectedKeys.lookAgain();
        EventBuffer entries = pollSet.entries();
        int updated = deliver(entries, n, action, deregistered, NOTHING);
        EventBuffer refused = fallback.entries();
        if (refused != null) {
            updated = deliver(refused, refused.fetched(), action, true, updated);
            refused.forget();
        }
        entries.forget();
        return updated;
    }

    /**
     * Hands the first {@code n} entries to their keys.
     *
     * @param before how many ready sets were updated before, or {@link #NOTHING}
     * @return how many are now
     */
    private int deliver(EventBuffer entries, int n, Consumer<SelectionKey> action, boolean deregistered, int before) {
        int updated = before;
        for (int i = 0; i < n; i++) {
            if (entries.isWakeup(i)) {
                continue;
            }
            SelectionKeyImpl key = find(entries, i);
            if (key == null) {
                if (!deregistered) {
                    registrar.onStaleEvent(entries.fd(i), entries.generation(i));
                }
                continue;
            }
            int events = filter(key, entries.events(i), entries.error(i));
            if (events != 0) {
                updated = Math.max(updated, 0) + selectedKeys.update(key, events, action);
            }
        }
        return updated;
    }

    /** The key that an entry is for, or null if its registration has outlived its key. */
    private SelectionKeyImpl find(EventBuffer entries, int i) {
        return keys.find(entries.fd(i), entries.generation(i));
    }

    /**
     * The events of an entry that its key was asking for when this selection began, 0 if none. What shows that more is
     * armed than is asked for, or that the descriptor is not open, is acted upon.
     */
    private int filter(SelectionKeyImpl key, int events, int error) {
        int state = KeyState.of(key);
        if (!KeyState.needsFilter(state) && (events & SPECIAL) == 0) {
            return events;
        }
        if ((events & PollSet.FAILED) != 0) {
            registrar.onRefusedChange(key, events, error);
            return 0;
        }
        if ((events & PollSet.NVAL) != 0) {
            return removal.removeClosed(key);
        }
        registrar.onReported(key);
        int asked = KeyState.asked(state);
        int wanted = asked == 0 ? 0 : events & (asked | PollSet.ERR | PollSet.HUP);
        if ((events & PollSet.PRI) != 0) {
            discardOutOfBand(key);
        } else if (wanted == 0 && !KeyState.isOneShot(state)) {
            registrar.disarm(key);
        }
        return wanted;
    }

    /**
     * Out-of-band data is never reported, since no interest of a key stands for it; a mechanism that reports it goes on
     * doing so until it is read.
     */
    private void discardOutOfBand(SelectionKeyImpl key) {
        int bytes = PollSet.discardOutOfBand(((SelChImpl) key.channel()).getFDVal());
        pollSet.statistics().add(Counter.OUT_OF_BAND_BYTES, bytes);
    }

    /**
     * Drops what an error, or an action that threw, has left undelivered. What of it is still ready will be reported
     * again, except of one-shot keys.
     */
    void dropUndelivered() {
        EventBuffer entries = pollSet.entries();
        for (int i = 0; i < entries.fetched(); i++) {
            SelectionKeyImpl key = entries.isWakeup(i) ? null : find(entries, i);
            if (key != null) {
                drop(key, entries.events(i), entries.error(i));
            }
        }
        entries.forget();
    }

    private void drop(SelectionKeyImpl key, int events, int error) {
        if ((events & PollSet.FAILED) != 0) {
            registrar.onRefusedChange(key, events, error);
        } else {
            registrar.onReported(key);
        }
    }

    @Override
    public SelectionKeyImpl find(int fd, int generation) {
        return keys.find(fd, generation);
    }

    @Override
    public SelectionKeyImpl at(int fd) {
        return keys.at(fd);
    }

    @Override
    public int capacity() {
        return keys.capacity();
    }

    @Override
    public int asked(SelectionKeyImpl key) {
        return KeyState.asked(KeyState.of(key));
    }

    @Override
    public void findSelectedSet() {
        selectedKeys.lookAgain();
    }

    @Override
    public boolean isSelected(SelectionKeyImpl key) {
        return selectedKeys.isSelected(key);
    }
}
