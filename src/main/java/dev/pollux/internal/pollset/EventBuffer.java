// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.pollset;

import dev.pollux.internal.jni.Natives;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The entries that a mechanism has written in a wait, outside of the heap. Each stands for a registration and its
 * events, or for a wakeup. Guarded by the lock of its owner. Allocates only to grow.
 */
public final class EventBuffer {
    /** Room for events at first: one page. */
    private static final int FIRST_CAPACITY = 256;

    /** The buffer does not grow beyond this; what does not fit is reported by the next wait. */
    private static final int MAX_CAPACITY = 1 << 20;

    /** Null before the first {@link #grow} and after {@link #free}. */
    private ByteBuffer events;
    long address;
    int capacity;

    /** Entries that were fetched and not yet {@link #forget forgotten}: set at once, whatever fails after that. */
    private int fetched;

    EventBuffer() {
    }

    boolean isFull() {
        return fetched == capacity;
    }

    void fetched(int n) {
        fetched = n;
    }

    /** Appends an entry with the events {@code ready}; false if there is no memory for it. */
    boolean append(int fd, int generation, int ready) {
        if (isFull() && !grow()) {
            return false;
        }
        int at = fetched * Natives.EVENT_BYTES;
        events.putLong(at + Natives.EVENT_COOKIE, Cookie.of(fd, generation));
        events.putInt(at + Natives.EVENT_EVENTS, ready);
        events.putInt(at + Natives.EVENT_ERROR, 0);
        fetched++;
        return true;
    }

    int merge(EntryMerger merger) {
        return merger.merge(events, fetched);
    }

    /** Makes room for more entries, keeping those that are there: false, and all is as before, if there is none. */
    boolean grow() {
        if (capacity >= MAX_CAPACITY) {
            return false;
        }
        int wanted = capacity == 0 ? FIRST_CAPACITY : capacity * 4;
        ByteBuffer larger;
        try {
            larger = Natives.newEvents(wanted);
        } catch (OutOfMemoryError e) {
            return false; // of the heap: no reason to lose what was fetched
        }
        if (larger == null) {
            return false;
        }
        larger.order(ByteOrder.nativeOrder());
        if (events != null) {
            larger.put(0, events, 0, events.capacity());
        }
        long place = Natives.address(larger);
        Natives.free(address);
        events = larger;
        address = place;
        capacity = wanted;
        return true;
    }

    /** Gives the memory back. Once more has no effect. */
    void free() {
        long memory = address;
        address = 0;
        events = null;
        Natives.free(memory);
    }

    /** How many entries were fetched; more than {@link PollSet#await} returned if it merged some, or threw. */
    public int fetched() {
        return fetched;
    }

    /** The entries were dealt with. Until then the caller keeps them: a {@link PollSet#ONESHOT} comes but once. */
    public void forget() {
        fetched = 0;
    }

    /** Whether entry {@code i} stands for a wakeup, and for no descriptor. */
    public boolean isWakeup(int i) {
        return (events(i) & Natives.WAKEUP) != 0;
    }

    public int fd(int i) {
        return Cookie.fd(cookie(i));
    }

    /** The generation that the descriptor of entry {@code i} was last added or modified with. */
    public int generation(int i) {
        return Cookie.generation(cookie(i));
    }

    private long cookie(int i) {
        return events.getLong(i * Natives.EVENT_BYTES + Natives.EVENT_COOKIE);
    }

    public int events(int i) {
        return events.getInt(i * Natives.EVENT_BYTES + Natives.EVENT_EVENTS);
    }

    /** The error code of entry {@code i}, where its events say that there is one. */
    public int error(int i) {
        return events.getInt(i * Natives.EVENT_BYTES + Natives.EVENT_ERROR);
    }
}
