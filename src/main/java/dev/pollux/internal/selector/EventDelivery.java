// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.selector;

import dev.pollux.internal.count.Counter;
import dev.pollux.internal.pollset.EventBuffer;
import dev.pollux.internal.pollset.PollSet;
import dev.pollux.internal.registration.PollFallback;
import dev.pollux.internal.verdict.WatchedKeys;
import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.util.function.Consumer;
import sun.nio.ch.SelectionKeyImpl;

/**
 * Brings events back to their keys: finds the key of an entry, takes away what it does not ask for, and acts upon what
 * an event says beside that. Shows the keys to what looks for trouble. Guarded by the selector's lock. No allocation
 * of its own.
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

    EventDelivery(PollSet pollSet, PollFallback fallback, KeyTable keys, SelectedKeys selectedKeys,
            KeyRegistrar registrar) {
        this.pollSet = pollSet;
        this.fallback = fallback;
        this.keys = keys;
        this.selectedKeys = selectedKeys;
        this.registrar = registrar;
    }

    /**
     * Hands out the first {@code n} entries, and those of what was refused: how many ready sets were updated, or {@link
     * #NOTHING}. An event without a key may be one of a key that was {@code deregistered} just now.
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

    private int deliver(EventBuffer entries, int n, Consumer<SelectionKey> action, boolean deregistered, int before) {
        int updated = before;
        for (int i = 0; i < n; i++) {
            if (entries.isWakeup(i)) {
                continue;
            }
            SelectionKeyImpl key = keys.find(entries.fd(i), entries.generation(i));
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

    /** The events of an entry that its key was asking for when this selection began, 0 if none. */
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
            return registrar.removeClosed(key);
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

    /** No interest of a key stands for out-of-band data; a mechanism that reports it does so until it is read. */
    private void discardOutOfBand(SelectionKeyImpl key) {
        int bytes = PollSet.discardOutOfBand(KeyTable.descriptor(key));
        pollSet.statistics().add(Counter.OUT_OF_BAND_BYTES, bytes);
    }

    /** Drops what an error or an action that threw has left: what is ready is reported again, but for one-shot keys. */
    void dropUndelivered() {
        EventBuffer entries = pollSet.entries();
        for (int i = 0; i < entries.fetched(); i++) {
            SelectionKeyImpl key = entries.isWakeup(i) ? null : keys.find(entries.fd(i), entries.generation(i));
            if (key != null && (entries.events(i) & PollSet.FAILED) != 0) {
                registrar.onRefusedChange(key, entries.events(i), entries.error(i));
            } else if (key != null) {
                registrar.onReported(key);
            }
        }
        entries.forget();
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
    public boolean isSelected(SelectionKeyImpl key) {
        selectedKeys.lookAgain();
        return selectedKeys.isSelected(key);
    }
}
