// SPDX-License-Identifier: Apache-2.0
package dev.pollux;

import dev.pollux.internal.poller.Awaiter;
import dev.pollux.internal.poller.MemberState;
import dev.pollux.internal.poller.Multiplexer;
import java.util.Arrays;
import java.util.Iterator;
import java.util.NoSuchElementException;

/**
 * What one thread gets from {@link Poller#await(int, long)}, again and again.
 *
 * <p>For one thread. Allocates to hold more entries than ever before.
 */
final class ReadyEntries implements Iterable<Poller.Ready>, Iterator<Poller.Ready> {
    private final Awaiter awaiter = new Awaiter();
    private final Multiplexer multiplexer;
    private Entry[] entries = new Entry[0];

    /** Entries that were returned since {@link #begin}, and how many may be. */
    private int returned;
    private int most;

    ReadyEntries(Multiplexer multiplexer) {
        this.multiplexer = multiplexer;
    }

    /** Refers to nothing of the program's: it lives as long as this thread. */
    private final class Entry implements Poller.Ready {
        private MemberState state;
        private int events;

        @Override
        public Poller.Member member() {
            Object handle = state.handle(); // null if it was removed: what stands for it has no attachment
            return handle != null ? (Poller.Member) handle : new Poller.Member(multiplexer, state, null);
        }

        @Override
        public int events() {
            return events;
        }

        @Override
        public String toString() {
            return "events 0x" + Integer.toHexString(events) + " of " + member();
        }
    }

    /** Begins anew; returns the thread's place in the Poller. */
    Awaiter begin() {
        returned = 0;
        most = 0;
        return awaiter;
    }

    /** Lets the iteration have so many entries. */
    ReadyEntries atMost(int count) {
        most = count;
        return this;
    }

    @Override
    public Iterator<Poller.Ready> iterator() {
        return this;
    }

    @Override
    public boolean hasNext() {
        Poller.requireOpen(multiplexer);
        return returned < most && (awaiter.given() != null || multiplexer.next(awaiter));
    }

    @Override
    public Poller.Ready next() {
        if (!hasNext()) {
            throw new NoSuchElementException();
        }
        Entry entry = entry(returned);
        returned++;
        entry.events = awaiter.events();
        entry.state = awaiter.begin();
        return entry;
    }

    private Entry entry(int i) {
        if (i == entries.length) {
            entries = Arrays.copyOf(entries, Math.max(16, i * 2));
        }
        if (entries[i] == null) {
            entries[i] = new Entry();
        }
        return entries[i];
    }
}
