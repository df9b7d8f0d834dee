// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.selector;

import dev.pollux.internal.jdk.SelectionKeyFields;
import dev.pollux.internal.pollset.PollSet;
import sun.nio.ch.SelectionKeyImpl;

/**
 * What the selector knows of a key, in one int that is kept in the key ({@code registeredEvents}). The terms, here and
 * wherever the selector speaks of keys:
 *
 * <ul>
 * <li><em>asked</em>: the events that the key's interest stood for when the mechanism was last told (three bits);
 * <li><em>armed</em>: the events that the mechanism will report (three bits). They may be more than is asked for, see
 *     {@link #DISARM_PENDING}, or fewer, see {@link #ONE_SHOT};
 * <li><em>held</em>: what the mechanism was last told, the armed events and {@link #ONE_SHOT}; 0 if it holds no
 *     registration;
 * <li><em>generation</em>: tells the key's registration from others of the same descriptor. The mechanism echoes it
 *     with each event.
 * </ul>
 *
 * <p>0: not registered. Guarded by the selector's lock. No allocation.
 */
final class KeyState {
    /** The events a state has room for; nothing else is ever asked of a mechanism. */
    static final int EVENTS = PollSet.IN | PollSet.PRI | PollSet.OUT;

    /** Set if the key is armed for events that are not asked for. It is disarmed when one comes (lazy disarm). */
    static final int DISARM_PENDING = 1 << 6;

    /**
     * Set if the channel has translated {@code IN} to just what was its key's only interest. It would do so again until
     * the interest changes or the channel is closed, for a channel that has once been ready for reading or accepting
     * does not stop being connected or bound before that.
     */
    static final int SETTLED = 1 << 7;

    /**
     * Set if the mechanism disables the key when it reports it (EPOLLONESHOT). With no events armed: the key is
     * disabled, and the mechanism still holds the registration.
     */
    static final int ONE_SHOT = PollSet.ONESHOT;

    private static final int ASKED_SHIFT = 3;
    private static final int GENERATION_SHIFT = 9;

    /** Generations are from 1 to this, and then from 1 again. */
    static final int LAST_GENERATION = (1 << (Integer.SIZE - GENERATION_SHIFT)) - 1;

    private KeyState() {
    }

    static int of(SelectionKeyImpl key) {
        return SelectionKeyFields.registeredEvents(key);
    }

    static void clear(SelectionKeyImpl key) {
        SelectionKeyFields.registeredEvents(key, 0);
    }

    static void set(SelectionKeyImpl key, int generation, int held, int asked) {
        int pending = (held & EVENTS & ~asked) != 0 ? DISARM_PENDING : 0;
        SelectionKeyFields.registeredEvents(key,
                generation << GENERATION_SHIFT | pending | asked << ASKED_SHIFT | held);
    }

    /** Notes that the mechanism has reported a {@link #ONE_SHOT} key, and so has disabled it. */
    static void disable(SelectionKeyImpl key) {
        SelectionKeyFields.registeredEvents(key, SelectionKeyFields.registeredEvents(key) & ~(EVENTS | DISARM_PENDING));
    }

    /** Whether the mechanism holds the key without reporting anything of it. */
    static boolean isDisabled(int state) {
        return held(state) == ONE_SHOT;
    }

    /** Whether events of a key in this state may be others than are asked for, or disable it. */
    static boolean needsFilter(int state) {
        return (state & (DISARM_PENDING | ONE_SHOT)) != 0;
    }

    /** Whether a key in this state is still armed for events that are not asked for, and will be until they come. */
    static boolean isDisarmPending(int state) {
        return (state & (DISARM_PENDING | ONE_SHOT)) == DISARM_PENDING;
    }

    static boolean isOneShot(int state) {
        return (state & ONE_SHOT) != 0;
    }

    static void settle(SelectionKeyImpl key) {
        SelectionKeyFields.registeredEvents(key, SelectionKeyFields.registeredEvents(key) | SETTLED);
    }

    static int armed(int state) {
        return state & EVENTS;
    }

    static int held(int state) {
        return state & (EVENTS | ONE_SHOT);
    }

    static int asked(int state) {
        return state >>> ASKED_SHIFT & EVENTS;
    }

    static int generation(int state) {
        return state >>> GENERATION_SHIFT;
    }
}
