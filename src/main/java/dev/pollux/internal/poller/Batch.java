// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.poller;

import java.util.Arrays;

/**
 * What one thread was given by {@link Multiplexer#await}, to be gone through by {@link #next}. It is that thread's own, and
 * its place among the threads that wait for their turn.
 *
 * <p>For one thread; a multiplexer fills it. Allocates to hold more entries than ever before.
 */
public final class Batch {
    private Member[] members = new Member[16];
    private int[] events = new int[16];
    private int[] generations = new int[16];
    private int size;

    /** The entry that {@link #next} comes to. */
    private int next;

    /** The thread that waits for its turn; written before the batch is queued. */
    Thread thread;

    /** The round in which it was filled. */
    long round;

    /** Whether it is among those that wait for their turn. Guarded by the entrance's monitor. */
    boolean queued;

    /** Makes room for one more. */
    void reserve() {
        if (size == members.length) {
            Member[] more = Arrays.copyOf(members, size * 2);
            int[] moreEvents = Arrays.copyOf(events, size * 2);
            generations = Arrays.copyOf(generations, size * 2);
            events = moreEvents;
            members = more;
        }
    }

    /** Appends an entry, for which there is room. */
    void append(Member member, int reported) {
        members[size] = member;
        events[size] = reported;
        generations[size] = member.generation;
        size++;
    }

    /** Forgets all entries. */
    public void clear() {
        Arrays.fill(members, 0, size, null);
        size = next = 0;
    }

    int size() {
        return size;
    }

    /** Whether there are entries that {@link #next} has not come to. */
    public boolean isUnfinished() {
        return next < size;
    }

    /** Goes to the next entry: false if there is none. Passes over those that have been changed since they were reported. */
    public boolean next() {
        while (next < size) {
            int i = next++;
            if (isCurrent(i)) {
                return true;
            }
        }
        return false;
    }

    /** Goes back to before the entry that {@link #next} went to. */
    public void stepBack() {
        next--;
    }

    private boolean isCurrent(int i) {
        return members[i].generation == generations[i] && !members[i].removed;
    }

    Member member() {
        return members[next - 1];
    }

    /** The descriptor of the entry that {@link #next} went to. */
    public int descriptor() {
        return member().fd;
    }

    /** Its events. */
    public int events() {
        return events[next - 1];
    }

    /** Its attachment. */
    public Object attachment() {
        return member().attachment;
    }
}
