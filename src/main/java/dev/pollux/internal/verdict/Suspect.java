// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.verdict;

import dev.pollux.internal.pollset.ArrivalQueue;
import dev.pollux.internal.pollset.PollSet;
import dev.pollux.internal.pollset.Progress;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import sun.nio.ch.SelChImpl;
import sun.nio.ch.SelectionKeyImpl;

/**
 * A channel that may make its selector spin, and what the samples say of it. Each sample counts as one of three: the
 * channel was used since the last one; or that one has reported it, and it was not used (fruitless); or it was not
 * reported (absent).
 *
 * <p>It is never used if all samples are fruitless. It is seldom used if three quarters of the reports and a quarter
 * of all samples are fruitless: then what else the application does with it does not make up for the waste. A channel
 * that is reported now and then only must besides have been the reason of the waits, with no other ready key.
 *
 * <p>A listening socket that all samples report is not accepted from if its queue has the same length each time, unless
 * as many connections arrive. A program that accepts can't have no descriptor left, at that many moments.
 *
 * <p>Guarded by the selector's lock. No allocation after construction.
 */
final class Suspect {
    private Progress before = new Progress();
    private Progress now = new Progress();

    /** Watched where progress tells too little. */
    private final ArrivalQueue queue = new ArrivalQueue();

    /** Of a listening socket: whether its queue had the same length each time; then nothing is accepted from it. */
    private boolean isUnchanged;

    /** Of one, too: whether no sample has found a descriptor left, so that accepting fails, and how many there were. */
    private boolean mayBeStarved;
    private int starved;

    /** Null if it is cleared. */
    SelectableChannel channel;

    /** The key that was reported last; null if it was removed since. */
    SelectionKeyImpl key;

    int fd;

    /** Whether the channel has got another key since the examination began. */
    private boolean isRegisteredAgain;

    /** What all samples report that report it. */
    private int events;

    /** Whether the key was among the selected ones, each time that was looked. */
    private boolean leftSelected;

    /** Whether the last sample has reported it, and no key that is no suspect. */
    private boolean isReported;
    private boolean isAlone;

    /** Samples. */
    private int used;
    private int fruitless;
    private int absent;

    /** Of the fruitless ones: those whose waits no other key had ended. */
    private int alone;

    /** Fruitless samples since the last use, which are not yet counted. */
    private int run;

    /** Suspects a key's channel, if the application's progress with it can be told: whether it can. */
    boolean begin(SelectionKeyImpl suspected, int reportedEvents) {
        fd = ((SelChImpl) suspected.channel()).getFDVal();
        now.note(fd);
        events = reportedEvents;
        if (!now.isSame(now, isEnded()) && !(events == PollSet.IN && queue.watch(fd))) {
            return false;
        }
        isUnchanged = true;
        mayBeStarved = true;
        starved = 0;
        channel = suspected.channel();
        key = suspected;
        isRegisteredAgain = false;
        leftSelected = true;
        isReported = false;
        used = 0;
        fruitless = 0;
        absent = 0;
        alone = 0;
        run = 0;
        return true;
    }

    /** Whether nothing can arrive any more: pipes and sockets of other kinds than TCP tell no more than that. */
    private boolean isEnded() {
        return (events & PollSet.HUP) != 0;
    }

    void clear() {
        queue.unwatch();
        channel = null;
        key = null;
    }

    void forget(SelectionKey removed) {
        key = key == removed ? null : key;
    }

    boolean isSuspected() {
        return channel != null;
    }

    boolean isOf(SelectionKey other) {
        return channel == other.channel();
    }

    /** A sample reports it. What changes from one to the next is not what it is suspected for. */
    void onReported(SelectionKeyImpl reported, int reportedEvents) {
        isReported = queue.isWatched() ? reportedEvents == PollSet.IN : (events & reportedEvents) != 0;
        if (isReported) {
            events &= reportedEvents;
            isRegisteredAgain |= key != reported;
            key = reported;
        }
    }

    /** All that a sample has reported was told, and whether nothing but suspects was. */
    void endSample(boolean areAllSuspects) {
        isAlone = areAllSuspects;
    }

    /**
     * Looks what the application has done since the last sample, before the next one is told.
     *
     * @param patience the number of fruitless samples on end that a healthy application may need
     */
    void judge(int patience, boolean isSelected) {
        long taken = channel.isOpen() ? taken() : ArrivalQueue.UNTOLD;
        if (taken == ArrivalQueue.UNTOLD) {
            clear();
            return;
        }
        leftSelected &= isSelected;
        if (taken != 0) {
            onUse(patience);
        } else if (isReported) {
            run++;
            alone += isAlone ? 1 : 0;
        } else {
            absent++;
        }
        isReported = false;
    }

    /** 0 if the application has taken nothing since the last sample, and written nothing. */
    private long taken() {
        Progress last = now;
        now = before;
        before = last;
        now.note(fd);
        if (queue.isListening()) {
            isUnchanged = isUnchanged && queue.takeChange() == 0;
            return isReported ? 0 : ArrivalQueue.UNTOLD;
        }
        return queue.isWatched() ? queue.takeChange() : now.isSame(before, isEnded()) ? 0 : 1;
    }

    private void onUse(int patience) {
        used++;
        if (run > patience) {
            fruitless += run;
        } else {
            used += run;
        }
        run = 0;
    }

    private int fruitless(int patience) {
        return fruitless + (run > patience ? run : 0);
    }

    private int samples() {
        return used + fruitless + run + absent;
    }

    boolean isNeverUsed(int patience) {
        return isReported && used + absent == 0 && run >= Limits.MIN_SAMPLES_UNUSED + patience
                && (!queue.isListening() || isStarved());
    }

    /** Whether no descriptor is left, in this sample and in enough of those before it. */
    private boolean isStarved() {
        if (mayBeStarved) {
            mayBeStarved = !queue.hasDescriptorLeft();
            starved++;
        }
        return mayBeStarved && starved >= Limits.MIN_STARVED;
    }

    /** The same of what will not be examined for longer: its selector is about to be closed. */
    boolean isUnusedSoFar() {
        return isReported && used + absent == 0 && run >= Limits.FEWEST_SAMPLES && channel.isOpen() && taken() == 0
                && !queue.isListening();
    }

    boolean isDecided(int patience) {
        return samples() >= Limits.MIN_SAMPLES + patience && (isReported || !isWasteful(patience));
    }

    /** Whether that is true, of a listening socket if the loop runs {@code fast}er than one that accepts could. */
    boolean isSeldomUsed(int patience, boolean fast) {
        return isReported && isDecided(patience) && isWasteful(patience)
                && (!queue.isListening() || isUnchanged && fast);
    }

    private boolean isWasteful(int patience) {
        int samples = samples();
        int wasted = absent * Limits.MIN_ABSENT <= samples ? fruitless(patience) : alone;
        return wasted >= 3 * used && 4 * wasted >= samples;
    }

    /** Whether no more samples are needed to see that it is all right. */
    boolean isHealthy() {
        if (queue.isListening()) {
            return !isUnchanged && !mayBeStarved;
        }
        int wasted = fruitless + run;
        return wasted < 3 * used || 4 * (wasted + Limits.FIRST_SAMPLES) < samples();
    }

    long unread() {
        return now.unread();
    }

    /** Whether the application has worked on it at all. */
    boolean isUsed() {
        return used > 0;
    }

    SpinKind kind() {
        if (queue.isListening() && !queue.hasDescriptorLeft()) {
            return SpinKind.DESCRIPTOR_LIMIT;
        }
        if (leftSelected) {
            return SpinKind.LEFT_SELECTED;
        }
        if (isRegisteredAgain) {
            return SpinKind.REGISTERED_AGAIN;
        }
        if (queue.isListening()) {
            return SpinKind.NOT_ACCEPTED;
        }
        int interest = key == null ? 0 : key.nioInterestOps();
        if ((interest & SelectionKey.OP_CONNECT) != 0) {
            return SpinKind.CONNECT_INTEREST;
        }
        boolean failed = (events & (PollSet.ERR | PollSet.HUP)) != 0;
        boolean isReadable = (events & PollSet.IN) != 0 || failed && (interest & SelectionKey.OP_READ) != 0;
        if (isReadable && unread() > 0) {
            return SpinKind.DATA_NOT_READ;
        }
        return failed || isReadable ? SpinKind.END_OF_STREAM : SpinKind.WRITE_INTEREST;
    }
}
