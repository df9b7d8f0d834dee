// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.selector;

import dev.pollux.internal.count.Counter;
import dev.pollux.internal.jdk.SelectionKeyFields;
import dev.pollux.internal.pollset.PollSet;
import dev.pollux.internal.registration.PollFallback;
import dev.pollux.internal.registration.Registrar;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.function.Consumer;
import sun.nio.ch.SelChImpl;
import sun.nio.ch.SelectionKeyImpl;

/**
 * Brings the mechanism in line with the interest of keys, and takes keys out. What it refuses is watched by poll(2)
 * meanwhile, and offered to it again. Guarded by the selector's lock. Allocates to grow and when something is refused.
 */
final class KeyRegistrar extends Registrar implements Consumer<SelectionKeyImpl> {
    /**
     * Interest in these stays armed until an unwanted event comes: a channel that is not read for a while is mostly
     * read again before anything arrives. A socket is nearly always writable, so writing is not among them.
     */
    private static final int DISARMED_LAZILY = PollSet.IN;

    private final KeyTable keys;
    private final Refusals refusals;

    /**
     * To arm a key for one event (EPOLLONESHOT), instead of lazily. A server whose other threads read takes the
     * interest in a ready key away and gives it back later. Lazily that is free if the thread has read before the next
     * wait; else it costs an unwanted event, a removal and a registration. One-shot, it costs one change either way.
     */
    private final OtherWay oneShot;

    private final WriteInterest writers;

    /** Watches what the mechanism has refused: a key is there or in the mechanism, never in both. */
    private final PollFallback fallback;

    /** One-shot keys that were reported since the last {@link #rearm}, and are disabled by that. Null before. */
    private ArrayList<SelectionKeyImpl> disabled;

    KeyRegistrar(PollSet pollSet, PollFallback fallback, KeyTable keys, Refusals refusals, WriteInterest writers) {
        super(pollSet);
        this.fallback = fallback;
        this.keys = keys;
        this.refusals = refusals;
        this.oneShot = new OtherWay(pollSet.supportsOneShot());
        this.writers = writers;
    }

    /**
     * Brings the mechanism in line with the interest of a key, registering it if it is new. A {@link Consumer}, since a
     * method reference would load many classes before the first selector opens.
     */
    @Override
    public void accept(SelectionKeyImpl key) {
        if (!key.isValid()) {
            return;
        }
        if (SelectionKeyFields.getAndClearReset(key)) {
            remove(key); // its socket is new: what the mechanism held has mostly gone with the old one
        }
        int state = KeyState.of(key);
        int generation = state != 0 ? KeyState.generation(state) : enter(key);
        int held = KeyState.held(state);
        int asked = NetEvents.fromNet(((SelChImpl) key.channel()).translateInterestOps(key.nioInterestOps()));
        if (KeyState.isDisarmPending(state) && (KeyState.armed(state) & ~asked) == 0) {
            oneShot.wouldFail();
        }
        int target = target(KeyState.armed(state), held, asked);
        if (target == held && !refusals.contains(key)) {
            KeyState.set(key, generation, held, asked);
            if (asked != KeyState.armed(held)) {
                pollSet.statistics().add(Counter.LAZY_DISARMS, 1);
            }
        } else if (!refusals.contains(key) && writers.takes(key, held, target)) {
            KeyState.set(key, generation, held, asked);
        } else {
            change(key, generation, held, target, asked);
        }
    }

    private int enter(SelectionKeyImpl key) {
        int fd = KeyTable.descriptor(key);
        if (key.channel() instanceof SocketChannel) {
            pollSet.streams().adopt(fd);
        }
        return keys.enter(key, fd);
    }

    /** What the mechanism shall hold, which may be more than is asked for. */
    private int target(int armed, int held, int asked) {
        int target = asked | (armed & DISARMED_LAZILY);
        if (target == armed) {
            return held;
        }
        if (target == 0 && pollSet.supportsOneShot()) {
            return KeyState.ONE_SHOT; // for an error, not reported; re-registering takes twice the system calls
        }
        if (armed == 0 && asked == PollSet.IN && oneShot.isWorthwhile()) {
            pollSet.statistics().add(Counter.ONE_SHOT_ARMINGS, 1);
            return asked | KeyState.ONE_SHOT;
        }
        return target;
    }

    private void change(SelectionKeyImpl key, int generation, int held, int target, int asked) {
        int error = tell(KeyTable.descriptor(key), generation, held, target);
        if (error != 0) {
            refuse(key, generation, held, asked, error);
            return;
        }
        KeyState.set(key, generation, target, asked);
        if (refusals.contains(key) && !refusals.isClosed(key, asked)) {
            forgetRefusal(key); // nothing is left to try again
        }
    }

    /** Tells the mechanism what to hold: 0, or the error code with which it refused. */
    private int tell(int fd, int generation, int held, int target) {
        if (target == 0) {
            return pollSet.remove(fd);
        }
        if (held != 0 && pollSet.modify(fd, generation, target) == 0) {
            return 0;
        }
        return pollSet.add(fd, generation, target); // it is new, or the kernel has lost it with the old socket
    }

    private void forgetRefusal(SelectionKeyImpl key) {
        refusals.forget(key);
        fallback.forget(KeyTable.descriptor(key));
    }

    /** Has poll(2) watch a key that the mechanism has refused. Where that can't be, the next selection throws. */
    private void refuse(SelectionKeyImpl key, int generation, int held, int asked, int error) {
        // First, so that an error in the middle of what follows loses nothing: each selection tries again.
        boolean isNews = refusals.onRefusal(key, error, asked);
        int fd = KeyTable.descriptor(key);
        if (!fallback.isPossible()) {
            KeyState.set(key, generation, held, asked);
            refusals.report(key, error, isNews);
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
            forgetRefusal(key);
        } else if (fallback.watch(fd, fresh, asked)) {
            refusals.log(key, error);
        } else {
            refusals.report(key, error, isNews);
        }
    }

    /** Takes note that a change of these events, which the mechanism had kept for the wait, was refused. */
    void onRefusedChange(SelectionKeyImpl key, int events, int error) {
        int state = KeyState.of(key);
        int held = KeyState.held(state) & ~(events & KeyState.EVENTS);
        refuse(key, KeyState.generation(state), held, KeyState.asked(state), error);
    }

    /**
     * Offers the mechanism again what it has refused, until it refuses something: so at a limit one system call fails,
     * not one for each key.
     */
    void retryRefused() {
        for (int left = refusals.size(); left > 0; left--) {
            SelectionKeyImpl key = refusals.next();
            if (!refusals.isClosed(key, KeyState.asked(KeyState.of(key)))) {
                accept(key);
                if (refusals.contains(key)) {
                    return;
                }
            }
        }
    }

    /** Has the mechanism watch for all that a key asks for. */
    void arm(SelectionKeyImpl key) {
        int state = KeyState.of(key);
        int asked = KeyState.asked(state);
        change(key, KeyState.generation(state), KeyState.held(state), target(KeyState.armed(state),
                KeyState.held(state), asked), asked);
    }

    /** A one-shot key is disabled when it is reported. */
    void onReported(SelectionKeyImpl key) {
        int state = KeyState.of(key);
        if (KeyState.isOneShot(state) && !KeyState.isDisabled(state)) {
            if (disabled == null) {
                disabled = new ArrayList<>();
            }
            disabled.add(key);
            KeyState.disable(key);
        }
    }

    /** Arms reported one-shot keys that are still asked for: not one-shot, since their interest was not taken away. */
    void rearm() {
        for (int last = disabled == null ? -1 : disabled.size() - 1; last >= 0; last--) {
            SelectionKeyImpl key = disabled.get(last);
            int state = KeyState.of(key);
            int asked = KeyState.asked(state);
            if (KeyState.isDisabled(state) && asked != 0 && key.isValid()) {
                oneShot.wouldFail();
                change(key, KeyState.generation(state), KeyState.held(state), asked, asked);
            }
            disabled.remove(last); // not before: an error in the middle, such as a full stack, leaves the key here
        }
    }

    /**
     * Takes away what is armed and not asked for; if nothing is asked for, the registration, because a hang-up is
     * reported also of a descriptor that is registered for no events.
     */
    void disarm(SelectionKeyImpl key) {
        int state = KeyState.of(key);
        int generation = KeyState.generation(state);
        int armed = KeyState.armed(state);
        int asked = KeyState.asked(state);
        oneShot.wouldSucceed();
        if (tell(KeyTable.descriptor(key), generation, armed, armed & asked) == 0) {
            KeyState.set(key, generation, armed & asked, asked);
        } else {
            onFailedRemoval();
        }
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

    void onStaleEvent(int fd, int generation) {
        SelectionKeyImpl now = keys.at(fd);
        onStaleEvent(fd, generation, now != null && KeyState.held(KeyState.of(now)) != 0);
    }

    @Override
    protected void registerAll() {
        for (int fd = 0; fd < keys.capacity(); fd++) {
            SelectionKeyImpl key = keys.at(fd);
            if (key != null) {
                reregister(key);
            }
        }
    }

    /** Until it is done the key's state is as before, so an error in the middle loses nothing. */
    private void reregister(SelectionKeyImpl key) {
        int state = KeyState.of(key);
        if (KeyState.held(state) == 0) {
            return; // it was not in the old object either
        }
        int asked = KeyState.asked(state);
        if (asked == 0) {
            KeyState.set(key, KeyState.generation(state), 0, 0);
        } else {
            change(key, KeyState.generation(state), 0, asked, asked);
        }
    }
}
