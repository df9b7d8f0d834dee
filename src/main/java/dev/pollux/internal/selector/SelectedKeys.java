// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.selector;

import dev.pollux.internal.jdk.SelectorImplFields;
import dev.pollux.internal.pollset.PollSet;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.util.Set;
import java.util.function.Consumer;
import sun.nio.ch.SelChImpl;
import sun.nio.ch.SelectionKeyImpl;
import sun.nio.ch.SelectorImpl;

/**
 * Updates the ready sets of keys and the selected-key set of a selector: ours, or what a framework has put in its
 * place. Guarded by the selector's lock and that of the public set of selected keys. Allocates nothing itself.
 */
final class SelectedKeys {
    private final SelectorImpl selector;

    /** Our set, if the JDK let it in and no framework has replaced it since. */
    private final SelectedKeySet own = new SelectedKeySet();

    /** The selected-key set as it was found when this selection began to deliver; null if it is our own. */
    private Set<SelectionKey> foreign;

    /** Whether {@link #foreign} was empty then, and need not be asked: {@code contains} of Netty's is linear. */
    private boolean foreignWasEmpty;

    SelectedKeys(SelectorImpl selector) {
        this.selector = selector;
        SelectorImplFields.replace(selector, own, own.view);
    }

    /** Looks which set it is now: frameworks replace the fields at any time, one or both. */
    void lookAgain() {
        Set<SelectionKey> set = SelectorImplFields.selectedKeys(selector);
        if (set == own && SelectorImplFields.publicSelectedKeys(selector) == own.view) {
            foreign = null;
        } else {
            foreign = set;
            foreignWasEmpty = set.isEmpty();
        }
    }

    /** Updates a key's ready set, and performs the action on it or adds it to the set: 1 if that is news, else 0. */
    int update(SelectionKeyImpl key, int events, Consumer<SelectionKey> action) {
        boolean translated = isTranslated(key, events);
        if (action == null && isSelected(key)) {
            SelChImpl channel = (SelChImpl) key.channel();
            return !translated && channel.translateAndUpdateReadyOps(NetEvents.toNet(events), key) ? 1 : 0;
        }
        if (!translated && !translate(key, events)) {
            return 0;
        }
        if (action != null) {
            action.accept(key);
            if (!selector.isOpen()) {
                throw new ClosedSelectorException();
            }
        } else if (foreign == null) {
            own.append(key);
        } else {
            foreign.add(key);
        }
        return 1;
    }

    /** Whether the ready set is already what the channel would make of it: spares the channel, and a volatile write. */
    private static boolean isTranslated(SelectionKeyImpl key, int events) {
        return events == PollSet.IN && (KeyState.of(key) & KeyState.SETTLED) != 0
                && key.nioReadyOps() == key.nioInterestOps() && key.isValid();
    }

    /** Has the channel make a ready set of events: true if the key is ready. */
    private static boolean translate(SelectionKeyImpl key, int events) {
        ((SelChImpl) key.channel()).translateAndSetReadyOps(NetEvents.toNet(events), key);
        int ready = key.nioReadyOps();
        int interest = key.nioInterestOps();
        if (events == PollSet.IN && ready == interest && Integer.bitCount(interest) == 1) {
            KeyState.settle(key);
        }
        return (ready & interest) != 0;
    }

    /** Whether a key is among the selected ones, in the set that {@link #lookAgain} has found. */
    boolean isSelected(SelectionKeyImpl key) {
        return foreign == null ? own.contains(key) : !foreignWasEmpty && foreign.contains(key);
    }
}
