// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.selector;

import dev.pollux.internal.jdk.SelectionKeyFields;
import dev.pollux.internal.pollset.PollFallback;
import dev.pollux.internal.pollset.PollSet;
import dev.pollux.internal.pollset.StaleRegistrations;
import java.io.IOException;
import java.util.ArrayList;
import java.util.function.Consumer;
import sun.nio.ch.SelChImpl;
import sun.nio.ch.SelectionKeyImpl;

/**
 * What the mechanism holds for each key, and how it is brought in line with what is asked for.
 *
 * <p>Guarded by the selector's lock. Allocates to grow and when something is refused or stale.
 */
final class Registrations implements Consumer<SelectionKeyImpl> {
    /**
     * Interest in these is not taken away from the mechanism until an event proves it necessary: a channel that is not
     * read for a while is mostly read again before anything arrives. A socket is nearly always writable, so writing is
     * not among them.
     */
    private static final int DISARMED_LAZILY = PollSet.IN;

    /** What an event says beside the events that were asked for. */
    private static final int SPECIAL = PollSet.NVAL | PollSet.FAILED | PollSet.PRI;

    private final PollSet pollSet;
    private final ArmOnce armOnce;
    private final KeyTable keys = new KeyTable();
    private final Refusals refusals = new Refusals();
    private final StaleRegistrations stale = new StaleRegistrations();

    /** Watches what the mechanism has refused: a key is there or in the mechanism, never in both. */
    private final PollFallback fallback;

    /** Out-of-band bytes that were read and dropped. */
    private long discarded;

    /** Keys that were armed once and have been reported since the last {@link #rearm}. */
    private final ArrayList<SelectionKeyImpl> spent = new ArrayList<>();

    Registrations(PollSet pollSet, PollFallback fallback) {
        this.pollSet = pollSet;
        this.fallback = fallback;
        this.armOnce = new ArmOnce(pollSet.supportsOneShot());
    }

    /**
     * The key that an event of this descriptor and generation is for, or null if its registration has outlived its key.
     */
    SelectionKeyImpl find(int fd, int generation) {
        return keys.find(fd, generation);
    }

    /** {@link #apply}. A method reference would load many classes instead, before the first selector opens. */
    @Override
    public void accept(SelectionKeyImpl key) {
        apply(key);
    }

    /** Brings the mechanism in line with the interest of a key, registering it if it is new. */
    void apply(SelectionKeyImpl key) {
        if (!key.isValid()) {
            return;
        }
        if (SelectionKeyFields.takeReset(key)) {
            remove(key); // it is new: what the mechanism held has mostly gone with the old socket
        }
        int state = KeyState.of(key);
        int generation = state != 0 ? KeyState.generation(state) : keys.enter(key, channel(key).getFDVal());
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

    /** What the mechanism shall hold, which may be more than is asked for. */
    private int target(int armed, int held, int asked) {
        int target = asked | (armed & DISARMED_LAZILY);
        if (target == armed) {
            return held;
        }
        if (target == 0 && pollSet.supportsOneShot()) {
            return KeyState.ONCE; // for an error, which nobody gets to see; to register anew would be twice as dear
        }
        return armed == 0 && asked == PollSet.IN && armOnce.isWorthwhile() ? asked | KeyState.ONCE : target;
    }

    private static SelChImpl channel(SelectionKeyImpl key) {
        return (SelChImpl) key.channel();
    }

    private void change(SelectionKeyImpl key, int generation, int held, int target, int asked) {
        int error = tell(channel(key).getFDVal(), generation, held, target);
        if (error != 0) {
            refuse(key, generation, held, asked, error);
            return;
        }
        KeyState.set(key, generation, target, asked);
        if (refusals.contains(key) && !refusals.isGone(key, asked)) {
            accepted(key);
        }
    }

    /**
     * Tells the mechanism what to hold instead of what it was told last.
     *
     * @return 0, or the error code with which it refused
     */
    private int tell(int fd, int generation, int held, int target) {
        if (target == 0) {
            return pollSet.remove(fd);
        }
        if (held != 0 && pollSet.modify(fd, generation, target) == 0) {
            return 0;
        }
        return pollSet.add(fd, generation, target); // it is new, or the kernel has lost what was there with the old socket
    }

    /** Nothing is left to try again. */
    private void accepted(SelectionKeyImpl key) {
        refusals.forget(key);
        fallback.forget(channel(key).getFDVal());
    }

    /** Has poll(2) watch a key that the mechanism has refused. Where that can't be, the next selection throws. */
    private void refuse(SelectionKeyImpl key, int generation, int held, int asked, int error) {
        int fd = channel(key).getFDVal();
        if (!fallback.isPossible()) {
            KeyState.set(key, generation, held, asked);
            report(key, error, asked);
            return;
        }
        int fresh = generation;
        if (held != 0) {
            // With a new generation, what is still reported if this fails too is stale.
            pollSet.remove(fd);
            fresh = keys.enter(key, fd);
        }
        KeyState.set(key, fresh, 0, asked);
        if (asked == 0) {
            accepted(key);
        } else if (fallback.watch(fd, fresh, asked)) {
            refusals.record(key, error, asked);
            log(key, error);
        } else {
            report(key, error, asked);
        }
    }

    private IOException refusal(SelectionKeyImpl key, int error) {
        return pollSet.refusal(key.channel() + " (descriptor " + channel(key).getFDVal() + ')', error);
    }

    private void report(SelectionKeyImpl key, int error, int asked) {
        if (refusals.record(key, error, asked)) {
            refusals.report(refusal(key, error));
        }
    }

    private void log(SelectionKeyImpl key, int error) {
        if (refusals.wantsLogging()) {
            refusals.log(refusal(key, error));
        }
    }

    /**
     * Offers the mechanism again what it has refused, until it refuses something: where a limit is reached, a selection
     * makes one system call in vain, not one for each key.
     */
    void retryRefused() {
        for (int left = refusals.size(); left > 0; left--) {
            SelectionKeyImpl key = refusals.next();
            if (!refusals.isGone(key, KeyState.asked(KeyState.of(key)))) {
                apply(key);
                if (refusals.contains(key)) {
                    return;
                }
            }
        }
    }

    /**
     * Arms again what was armed once, has been reported, and is asked for all the same: not once, for whoever reads a
     * key without taking its interest away does not profit from that.
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
     * The events of an entry that its key was asking for when this selection began, 0 if none. What shows that more is
     * armed than is asked for, or that the descriptor is not open, is acted upon.
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
            return gone(key);
        }
        reported(key);
        int asked = KeyState.asked(state);
        int wanted = asked == 0 ? 0 : events & (asked | PollSet.ERR | PollSet.HUP);
        if ((events & PollSet.PRI) != 0) {
            discardOutOfBand(key);
        } else if (wanted == 0 && (state & KeyState.ONCE) == 0) {
            disarm(key);
        }
        return wanted;
    }

    /**
     * Out-of-band data is never reported, since no interest of a key stands for it; a mechanism that reports it goes on
     * doing so until it is read.
     */
    private void discardOutOfBand(SelectionKeyImpl key) {
        discarded += PollSet.discardOutOfBand(channel(key).getFDVal());
    }

    /** {@return how many out-of-band bytes were dropped} */
    long discarded() {
        return discarded;
    }

    /** A change that the mechanism kept for the wait was refused. */
    private void failed(SelectionKeyImpl key, int events, int error) {
        int state = KeyState.of(key);
        int held = KeyState.held(state) & ~(events & KeyState.EVENTS);
        refuse(key, KeyState.generation(state), held, KeyState.asked(state), error);
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
     * Does what could not be done between events, and says what went wrong; the latter later, if something was
     * delivered.
     */
    void repair(boolean delivered) throws IOException {
        if (stale.areIrremovable()) {
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
     * Takes away what an unwanted event has shown to be armed in vain; if nothing is asked for, the registration,
     * because hanging up is reported to whoever is registered for nothing.
     */
    private void disarm(SelectionKeyImpl key) {
        int state = KeyState.of(key);
        int generation = KeyState.generation(state);
        int armed = KeyState.armed(state);
        int asked = KeyState.asked(state);
        armOnce.wouldHavePaid();
        if (tell(channel(key).getFDVal(), generation, armed, armed & asked) == 0) {
            KeyState.set(key, generation, armed & asked, asked);
        } else {
            stale.foundIrremovable();
        }
    }

    /**
     * A key's descriptor is not open: somebody has closed it behind the channel's back. It is no longer watched. The
     * channel's next call will fail and say so, hence it is ready, once for each interest.
     *
     * @return the events of it
     */
    private int gone(SelectionKeyImpl key) {
        int state = KeyState.of(key);
        int fd = channel(key).getFDVal();
        int asked = KeyState.asked(state);
        pollSet.remove(fd);
        fallback.forget(fd);
        KeyState.set(key, KeyState.generation(state), 0, asked);
        return refusals.record(key, Refusals.GONE, asked) && asked != 0 ? PollSet.ERR : 0;
    }

    /**
     * Takes a key out of the mechanism, now, because it is cancelled or its channel has another socket under the same
     * number (DatagramChannel.disconnect on macOS): its descriptor is closed and used again right after. If that is
     * refused, what is left behind is dealt with when it reports something ({@link #stale}).
     */
    void remove(SelectionKeyImpl key) {
        int state = KeyState.of(key);
        if (state == 0) {
            return;
        }
        int fd = channel(key).getFDVal();
        if (keys.at(fd) == key) { // else it was closed behind the channel's back, and the number is another key's
            if (KeyState.held(state) != 0) {
                pollSet.remove(fd);
            }
            fallback.forget(fd);
            keys.clear(fd);
        }
        KeyState.clear(key);
        refusals.forget(key);
    }

    /** An event came for a registration that has outlived its key. */
    void stale(int fd, int generation) {
        SelectionKeyImpl now = keys.at(fd);
        stale.found(fd, generation, now != null && KeyState.held(KeyState.of(now)) != 0, pollSet);
    }

    /**
     * Registers everything anew. Not while events are being delivered: they were fetched with what is armed now.
     *
     * @throws IOException if the kernel has no other object for us; then it is tried again when asked for again
     */
    private void rebuild() throws IOException {
        pollSet.reopen();
        stale.areGone();
        keys.forEach(this::registerAnew);
    }

    private void registerAnew(SelectionKeyImpl key) {
        int state = KeyState.of(key);
        int asked = KeyState.asked(state);
        KeyState.set(key, KeyState.generation(state), 0, asked);
        if (KeyState.held(state) != 0 && asked != 0) {
            change(key, KeyState.generation(state), 0, asked, asked);
        }
    }
}
