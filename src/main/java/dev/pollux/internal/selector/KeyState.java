// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.selector;

import dev.pollux.internal.jdk.SelectionKeyFields;
import dev.pollux.internal.pollset.PollSet;
import sun.nio.ch.SelectionKeyImpl;

/**
 * What the selector knows of a key, in one int that is kept in the key ({@code registeredEvents}): three bits of events
 * that the mechanism is armed for, three bits of events that were asked for when it was last told, a bit that says that
 * the first are more than the second, one that says that an event needs no translation ({@link #SETTLED}), one that
 * says that the mechanism reports one event only ({@link #ONCE}), and the generation, which the mechanism echoes with
 * each event. 0: not registered.
 *
 * <p>Guarded by the selector's lock. No allocation.
 */
final class KeyState {
    /** The events a state has room for; nothing else is ever asked of a mechanism. */
    static final int EVENTS = PollSet.IN | PollSet.PRI | PollSet.OUT;

    /** Set if the mechanism is armed for events that nobody asks for (lazy disarm). */
    static final int LAZY = 1 << 6;

    /**
     * Set if the channel has translated {@code IN} to just what was its key's only interest. It would do so again until
     * the interest changes or the channel is closed, for a channel that has once been ready for reading or accepting
     * does not stop being connected or bound before that.
     */
    static final int SETTLED = 1 << 7;

    /**
     * Set if the mechanism disarms the key when it reports it. With no events armed: it has reported it, and still
     * holds the registration.
     */
    static final int ONCE = PollSet.ONESHOT;

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

    /** Notes what a mechanism holds now, the events it is armed for and {@link #ONCE}, and what is asked for. */
    static void set(SelectionKeyImpl key, int generation, int held, int asked) {
        int lazy = (held & EVENTS & ~asked) != 0 ? LAZY : 0;
        SelectionKeyFields.registeredEvents(key, generation << GENERATION_SHIFT | lazy | asked << ASKED_SHIFT | held);
    }

    /** Notes that a key which is armed {@link #ONCE} was reported: it is armed for nothing now. */
    static void spend(SelectionKeyImpl key) {
        SelectionKeyFields.registeredEvents(key, SelectionKeyFields.registeredEvents(key) & ~(EVENTS | LAZY));
    }

    static void settle(SelectionKeyImpl key) {
        SelectionKeyFields.registeredEvents(key, SelectionKeyFields.registeredEvents(key) | SETTLED);
    }

    /** What the mechanism will report: not what it has reported {@link #ONCE}. */
    static int armed(int state) {
        return state & EVENTS;
    }

    /** What the mechanism was last told, 0 if it holds nothing. */
    static int held(int state) {
        return state & (EVENTS | ONCE);
    }

    static int asked(int state) {
        return state >>> ASKED_SHIFT & EVENTS;
    }

    static int generation(int state) {
        return state >>> GENERATION_SHIFT;
    }
}
