// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.selector;

import dev.pollux.internal.jdk.SelectionKeyFields;
import dev.pollux.internal.pollset.PollSet;
import dev.pollux.internal.pollset.WritableNow;
import java.nio.channels.SelectionKey;
import java.util.Arrays;
import sun.nio.ch.SelectionKeyImpl;

/**
 * Keys that begin to want to write. Many programs set {@code OP_WRITE} for each reply, write it at the next selection,
 * and clear {@code OP_WRITE} again. To tell that to the mechanism costs two system calls, although a socket is nearly
 * always writable. So such a key is only asked for, together with all others: {@link WritableNow}. The mechanism is
 * told if it is not writable, or if it still wants to write at the next selection.
 *
 * <p>A program that sets {@code OP_WRITE} only when a socket is full asks without a result. While that is so, most
 * keys are told to the mechanism at once.
 *
 * <p>Guarded by the selector's lock. Allocates for the first key, and to grow.
 */
final class WriteInterest {
    private static final int FIRST_CAPACITY = 16;

    private final PollSet pollSet;

    /** Where a change costs no system call there is nothing to spare. */
    private final boolean isWorthwhile;

    /** Made for the first key; null before. */
    private WritableNow now;

    /** Those to be asked, and then those that were writable until the next selection; the first {@link #count}. */
    private SelectionKeyImpl[] keys = KeyTable.NO_KEYS;
    private int count;

    /** To tell the mechanism at once, instead of asking. */
    private final OtherWay telling = new OtherWay(true);

    WriteInterest(PollSet pollSet) {
        this.pollSet = pollSet;
        this.isWorthwhile = pollSet.isLive();
    }

    /** Takes a key, if all that is new in what the mechanism shall hold is writing: then it need not be told. */
    boolean takes(SelectionKeyImpl key, int held, int target) {
        boolean isNews = held != 0 && target == (KeyState.armed(held) | PollSet.OUT)
                && (KeyState.isDisabled(held) || !KeyState.isOneShot(held));
        if (!isNews || !isWorthwhile || (key.nioInterestOps() & SelectionKey.OP_CONNECT) != 0) {
            return false;
        }
        if (telling.isWorthwhile()) {
            return false;
        }
        if (count == keys.length) {
            keys = Arrays.copyOf(keys, Math.max(count * 2, FIRST_CAPACITY));
        }
        keys[count++] = key;
        return true;
    }

    /** Has the mechanism watch for those that were writable at the last selection and still want to write. */
    void armLeft(KeyRegistrar registrar) {
        while (count > 0) {
            SelectionKeyImpl key = keys[count - 1];
            if (wantsToWrite(key) && SelectionKeyFields.lastPolledVolatile(key) == 0) {
                telling.wouldSucceed();
                registrar.arm(key);
            } else {
                telling.wouldFail();
            }
            keys[--count] = null; // not before: an error in the middle leaves the key here
        }
    }

    /** Asks for the keys that were taken, and has the mechanism watch those that are not writable: whether any is. */
    boolean ask(KeyRegistrar registrar) {
        if (now != null) {
            now.forget(); // an error may have kept the last selection from it
        }
        if (count == 0) {
            return false;
        }
        if (now == null) {
            now = pollSet.writableNow();
        }
        putQuestion(registrar);
        boolean found = now.ask();
        for (int i = count - 1; i >= 0; i--) {
            if (!now.isWritable(i)) {
                telling.wouldSucceed();
                registrar.arm(keys[i]);
                keys[i] = keys[--count];
                keys[count] = null;
            }
        }
        return found;
    }

    /** Leaves out those that are cancelled by now, or that there is no memory for. */
    private void putQuestion(KeyRegistrar registrar) {
        int left = 0;
        for (int i = 0; i < count; i++) {
            SelectionKeyImpl key = keys[i];
            if (!wantsToWrite(key)) {
                continue;
            }
            if (now.add(KeyTable.descriptor(key), KeyState.generation(KeyState.of(key)))) {
                keys[left++] = key;
            } else {
                registrar.arm(key);
            }
        }
        Arrays.fill(keys, left, count, null);
        count = left;
    }

    private static boolean wantsToWrite(SelectionKeyImpl key) {
        int state = KeyState.of(key);
        return (KeyState.asked(state) & ~KeyState.armed(state) & PollSet.OUT) != 0 && key.isValid();
    }
}
