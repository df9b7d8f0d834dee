// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.selector;

import dev.pollux.internal.jdk.SelectionKeyFields;
import dev.pollux.internal.pollset.PollSet;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import sun.nio.ch.SelChImpl;
import sun.nio.ch.SelectionKeyImpl;

/**
 * What the mechanism holds for each key, and how it is brought in line with what is asked for.
 *
 * <p>Guarded by the selector's lock. Allocates to grow the table (four bytes for each descriptor number) and when something
 * is refused or stale.
 */
final class Registrations {
    /**
     * Interest in these is not taken away from the mechanism until an event proves it necessary: a channel that is not read for
     * a while is mostly read again before anything arrives. A socket is nearly always writable, so writing is not among them.
     */
    private static final int DISARMED_LAZILY = PollSet.IN;

    /** What an event says beside the events that were asked for. */
    private static final int SPECIAL = PollSet.NVAL | PollSet.FAILED | PollSet.PRI;

    private final PollSet pollSet;
    private final ArmOnce armOnce;
    private final Refusals refusals = new Refusals();

    /** The registered keys by descriptor. */
    private SelectionKeyImpl[] keys = new SelectionKeyImpl[64];

    private int lastGeneration;

    /** Stale registrations (descriptor and generation) that a removal was tried on, to no effect if they turn up again. */
    private final Set<Long> removedStale = new HashSet<>();
    private static final int MOST_REMOVED_STALE = 1000;

    /** Whether something is armed in the kernel that can't be taken away one by one. */
    private boolean mustRebuild;

    /** Urgent bytes that were read and dropped. */
    private long urgentDiscarded;

    /** Keys that were armed once and have been reported since the last {@link #rearm}. */
    private final ArrayList<SelectionKeyImpl> spent = new ArrayList<>();

    Registrations(PollSet pollSet) {
        this.pollSet = pollSet;
        this.armOnce = new ArmOnce(pollSet.armsOnce());
    }

    /** The key that an event of this descriptor and generation is for, or null if its registration has outlived its key. */
    SelectionKeyImpl find(int fd, int generation) {
        if (fd < keys.length) {
            SelectionKeyImpl key = keys[fd];
            if (key != null && KeyState.generation(KeyState.of(key)) == generation) {
                return key;
            }
        }
        return null;
    }

    /** Brings the mechanism in line with the interest of a key, registering it if it is new. A refusal is recorded. */
    void apply(SelectionKeyImpl key) {
        if (!key.isValid()) {
            return;
        }
        int state = SelectionKeyFields.takeReset(key) ? unregister(key) : KeyState.of(key);
        int generation = state != 0 ? KeyState.generation(state) : enter(key);
        int held = KeyState.held(state);
        int asked = NetEvents.fromNet(channel(key).translateInterestOps(key.nioInterestOps()));
        if ((state & (KeyState.LAZY | KeyState.ONCE)) == KeyState.LAZY && (KeyState.armed(state) & ~asked) == 0) {
            armOnce.wouldNotHavePaid();
        }
        int target = target(KeyState.armed(state), held, asked);
        if (target == held && !refusals.contains(key)) {
            KeyState.set(key, generation, held, asked);
        } else {
            change(key, generation, held, target, asked);
        }
    }

    /**
     * Makes a key new whose channel has another socket under the same number (DatagramChannel.disconnect on macOS): what the
     * mechanism held has mostly gone with the old one.
     *
     * @return the key's state
     */
    private int unregister(SelectionKeyImpl key) {
        int state = KeyState.of(key);
        if (KeyState.held(state) != 0) {
            pollSet.update(channel(key).getFDVal(), KeyState.generation(state), KeyState.held(state), 0);
        }
        KeyState.clear(key);
        return KeyState.of(key);
    }

    /** What the mechanism shall hold, which may be more than is asked for. */
    private int target(int armed, int held, int asked) {
        int target = asked | (armed & DISARMED_LAZILY);
        if (target == armed) {
            return held;
        }
        return armed == 0 && asked == PollSet.IN && armOnce.isWorthwhile() ? asked | KeyState.ONCE : target;
    }

    private static SelChImpl channel(SelectionKeyImpl key) {
        return (SelChImpl) key.channel();
    }

    private int enter(SelectionKeyImpl key) {
        int fd = channel(key).getFDVal();
        if (fd >= keys.length) {
            keys = Arrays.copyOf(keys, Math.max(fd + 1, keys.length * 2));
        }
        keys[fd] = key;
        lastGeneration = lastGeneration == KeyState.LAST_GENERATION ? 1 : lastGeneration + 1;
        return lastGeneration;
    }

    private void change(SelectionKeyImpl key, int generation, int held, int target, int asked) {
        int error = pollSet.update(channel(key).getFDVal(), generation, held, target);
        KeyState.set(key, generation, error == 0 ? target : held, asked);
        if (error != 0) {
            refuse(key, error, asked, false);
        } else if (refusals.contains(key) && !refusals.isGone(key, asked)) {
            refusals.forget(key);
        }
    }

    private void refuse(SelectionKeyImpl key, int error, int asked, boolean gone) {
        if (refusals.record(key, error, asked, gone)) {
            refusals.report(pollSet.refusal(key.channel(), channel(key).getFDVal(), error));
        }
    }

    /** Tries again what earlier selections were refused. */
    void retryRefused() {
        if (!refusals.isEmpty()) {
            for (SelectionKeyImpl key : refusals.keys()) {
                if (!refusals.isGone(key, KeyState.asked(KeyState.of(key)))) {
                    apply(key);
                }
            }
        }
    }

    /**
     * Arms again what was armed once, has been reported, and is asked for all the same: not once, for whoever reads a key without
     * taking its interest away does not profit from that.
     */
    void rearm() {
        for (int last = spent.size() - 1; last >= 0; last--) {
            SelectionKeyImpl key = spent.get(last);
            int state = KeyState.of(key);
            if (isSpent(state) && KeyState.asked(state) != 0 && key.isValid()) {
                armOnce.wouldNotHavePaid();
                change(key, KeyState.generation(state), KeyState.held(state), KeyState.asked(state), KeyState.asked(state));
            }
            spent.remove(last); // not before: an error in the middle, such as a stack that is too small, leaves the key here
        }
    }

    private static boolean isSpent(int state) {
        return KeyState.held(state) == KeyState.ONCE;
    }

    /** Throws what was refused and not yet reported. */
    void throwPending() throws IOException {
        refusals.throwPending();
    }

    /**
     * The events of an entry that its key was asking for when this selection began, 0 if none. What shows that more is armed
     * than is asked for, or that the descriptor is not open, is acted upon.
     */
    int wanted(SelectionKeyImpl key, int events, int error) {
        int state = KeyState.of(key);
        if (((state & (KeyState.LAZY | KeyState.ONCE)) | (events & SPECIAL)) == 0) {
            return events;
        }
        if ((events & PollSet.FAILED) != 0) {
            failed(key, events, error);
            return 0;
        }
        if ((events & PollSet.NVAL) != 0) {
            gone(key, error);
            return 0;
        }
        reported(key);
        int asked = KeyState.asked(state);
        int wanted = asked == 0 ? 0 : events & (asked | PollSet.ERR | PollSet.HUP);
        if ((events & PollSet.PRI) != 0) {
            discardUrgent(key);
        } else if (wanted == 0 && (state & KeyState.ONCE) == 0) {
            disarm(key);
        }
        return wanted;
    }

    /**
     * Urgent data is for nobody, since no interest of a key stands for it; a mechanism that reports it goes on doing so until it
     * is read.
     */
    private void discardUrgent(SelectionKeyImpl key) {
        urgentDiscarded += pollSet.discardUrgent(channel(key).getFDVal());
    }

    /** {@return how many urgent bytes were dropped} */
    long urgentDiscarded() {
        return urgentDiscarded;
    }

    /** A change that the mechanism kept for the wait was refused. */
    private void failed(SelectionKeyImpl key, int events, int error) {
        int state = KeyState.of(key);
        int asked = KeyState.asked(state);
        KeyState.set(key, KeyState.generation(state), KeyState.held(state) & ~(events & KeyState.EVENTS), asked);
        refuse(key, error, asked, false);
    }

    /** Takes note of an entry that nobody gets to see, of what in it will not be reported again. */
    void dropped(SelectionKeyImpl key, int events, int error) {
        if ((events & PollSet.FAILED) != 0) {
            failed(key, events, error);
        } else {
            reported(key);
        }
    }

    /** Notes that the mechanism has reported a key: what was armed once is not armed any more. */
    private void reported(SelectionKeyImpl key) {
        int state = KeyState.of(key);
        if ((state & KeyState.ONCE) != 0 && !isSpent(state)) {
            spent.add(key);
            KeyState.spend(key);
        }
    }

    /**
     * Does what could not be done between events, and says what went wrong; the latter later, if something was delivered.
     */
    void repair(boolean delivered) throws IOException {
        if (mustRebuild) {
            try {
                rebuild();
            } catch (IOException e) {
                if (!delivered) {
                    throw e;
                }
            }
        }
        if (!delivered) {
            throwPending();
        }
    }

    /**
     * Takes away what an unwanted event has shown to be armed in vain; if nothing is asked for, the registration, because
     * hanging up is reported to whoever is registered for nothing.
     */
    private void disarm(SelectionKeyImpl key) {
        int state = KeyState.of(key);
        int generation = KeyState.generation(state);
        int armed = KeyState.armed(state);
        int asked = KeyState.asked(state);
        armOnce.wouldHavePaid();
        if (pollSet.update(channel(key).getFDVal(), generation, armed, armed & asked) == 0) {
            KeyState.set(key, generation, armed & asked, asked);
        } else {
            mustRebuild = true;
        }
    }

    /** The mechanism says that a key's descriptor is not open: it is no longer watched, and a selection says so. */
    private void gone(SelectionKeyImpl key, int error) {
        int state = KeyState.of(key);
        int generation = KeyState.generation(state);
        int asked = KeyState.asked(state);
        pollSet.update(channel(key).getFDVal(), generation, KeyState.held(state), 0);
        KeyState.set(key, generation, 0, asked);
        refuse(key, error, asked, true);
    }

    /**
     * Takes a cancelled key out of the mechanism, now: its descriptor is closed and used again right after. If that is refused,
     * what is left behind is dealt with when it reports something ({@link #stale}).
     */
    void remove(SelectionKeyImpl key) {
        int state = KeyState.of(key);
        if (state == 0) {
            return;
        }
        int fd = channel(key).getFDVal();
        if (keys[fd] == key) { // else it was closed behind the channel's back, and the number is another key's
            if (KeyState.held(state) != 0) {
                pollSet.update(fd, KeyState.generation(state), KeyState.held(state), 0);
            }
            keys[fd] = null;
        }
        KeyState.clear(key);
        refusals.forget(key);
    }

    /**
     * An event came for a registration that has outlived its key: its removal had failed, or the open file lives on under
     * another descriptor (epoll(7)). A removal is tried, unless it would hit the key that has the number now; if there is more
     * of it, everything must be registered anew with a fresh object of the kernel.
     */
    void stale(int fd, int generation) {
        boolean reused = fd < keys.length && keys[fd] != null && KeyState.held(KeyState.of(keys[fd])) != 0;
        if (reused || removedStale.size() == MOST_REMOVED_STALE
                || !removedStale.add((long) fd << Integer.SIZE | generation)
                || pollSet.update(fd, generation, KeyState.EVENTS, 0) != 0) {
            mustRebuild = true;
        }
    }

    /**
     * Registers everything anew. Not while events are being delivered: they were fetched with what is armed now.
     *
     * @throws IOException if the kernel has no other object for us; then it is tried again when asked for again
     */
    private void rebuild() throws IOException {
        pollSet.reopen();
        mustRebuild = false;
        removedStale.clear();
        for (SelectionKeyImpl key : keys) {
            if (key != null) {
                int state = KeyState.of(key);
                int asked = KeyState.asked(state);
                KeyState.set(key, KeyState.generation(state), 0, asked);
                if (KeyState.held(state) != 0 && asked != 0) {
                    change(key, KeyState.generation(state), 0, asked, asked);
                }
            }
        }
    }
}
