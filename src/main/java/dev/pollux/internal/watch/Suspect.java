// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.watch;

import dev.pollux.internal.insight.SpinKind;
import dev.pollux.internal.pollset.PollSet;
import dev.pollux.internal.pollset.Progress;
import java.nio.channels.SelectionKey;
import sun.nio.ch.SelChImpl;
import sun.nio.ch.SelectionKeyImpl;

/**
 * A key that may make its selector spin: what the mechanism says of it, and what the application had read and written
 * when the examination began. It is cleared of suspicion as soon as one selection does not report just the same, or the
 * application reads or writes.
 *
 * <p>Guarded by the selector's lock. No allocation after construction.
 */
final class Suspect {
    private final Progress before = new Progress();
    private final Progress now = new Progress();

    /** Null if it is cleared. */
    private SelectionKeyImpl key;

    private int events;

    /** Whether the key was among the selected ones, each time that was looked. */
    private boolean leftSelected;

    /** Whether the selection that goes on now has reported it. */
    private boolean reported;

    /** Suspects a key, if the application's progress with it can be told: whether it can. */
    boolean begin(SelectionKeyImpl suspected, int reportedEvents) {
        before.note(fd(suspected));
        key = suspected;
        events = reportedEvents;
        leftSelected = true;
        reported = true;
        if (!before.isSame(before, isEnded())) {
            clear();
        }
        return key != null;
    }

    private static int fd(SelectionKey suspected) {
        return ((SelChImpl) suspected.channel()).getFDVal();
    }

    /** Whether nothing can arrive any more: pipes and sockets of other kinds than TCP tell no more than that. */
    private boolean isEnded() {
        return (events & PollSet.HUP) != 0;
    }

    void clear() {
        key = null;
    }

    SelectionKeyImpl key() {
        return key;
    }

    void onReported(SelectionKeyImpl other, int reportedEvents) {
        reported |= other == key && reportedEvents == events;
    }

    /** All that a selection has reported was told: if not this one, it is cleared. */
    void onAllReported() {
        if (!reported) {
            clear();
        }
        reported = false;
    }

    /** Clears it if the application has read or written since the beginning. */
    void check(boolean isSelected) {
        if (key != null && key.isValid()) {
            now.note(fd(key));
            leftSelected &= isSelected;
            if (now.isSame(before, isEnded())) {
                return;
            }
        }
        clear();
    }

    long unread() {
        return now.unread();
    }

    SpinKind kind() {
        int interest = key.nioInterestOps();
        if (leftSelected) {
            return SpinKind.LEFT_SELECTED;
        }
        if ((interest & SelectionKey.OP_CONNECT) != 0) {
            return SpinKind.CONNECT_INTEREST;
        }
        boolean failed = (events & (PollSet.ERR | PollSet.HUP)) != 0;
        boolean isReadable = (interest & SelectionKey.OP_READ) != 0 && (failed || (events & PollSet.IN) != 0);
        if (isReadable && unread() > 0) {
            return SpinKind.DATA_NOT_READ;
        }
        return failed || isReadable ? SpinKind.END_OF_STREAM : SpinKind.WRITE_INTEREST;
    }
}
