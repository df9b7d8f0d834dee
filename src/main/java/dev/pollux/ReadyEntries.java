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
    private final Thread thread = Thread.currentThread();
    private final Awaiter awaiter = new Awaiter();
    private final Multiplexer multiplexer;
    private Entry[] entries = new Entry[0];

    /** Entries that were returned since {@link #begin}, and how many may be. */
    private int returned;
    private int most;

    ReadyEntries(Multiplexer multiplexer) {
        this.multiplexer = multiplexer;
    }

    /**
     * Lives as long as this thread, so it refers to what is the program's by the member's state only, which forgets
     * that when the member is removed.
     */
    final class Entry implements Poller.Ready {
        private final int place;
        private MemberState state;
        private int events;

        /**
         * The member, if this thread has removed it since, or closed the Poller. This entry is the program's alone
         * then.
         */
        private Poller.Member kept;

        private Entry(int place) {
            this.place = place;
        }

        @Override
        public Poller.Member member() {
            Poller.Member member = kept != null ? kept : (Poller.Member) state.handle();
            if (member == null) { // another thread has removed it, or closed the Poller
                Poller.requireOpen(multiplexer);
                member = new Poller.Member(multiplexer, state, null);
            }
            return member;
        }

        @Override
        public int events() {
            return events;
        }

        /**
         * A member is about to be removed, by any thread: if by this one, whoever holds this entry keeps the member.
         */
        void keep(Poller.Member member, MemberState its) {
            if (thread == Thread.currentThread() && state == its) {
                kept = member;
                entries[place] = null;
            }
        }

        @Override
        public String toString() {
            return "events 0x" + Integer.toHexString(events) + " of " + member();
        }
    }

    /** The Poller is about to be closed by this thread: whoever holds entries keeps their members. */
    void keepAll() {
        for (int i = 0; i < returned; i++) {
            Entry entry = entries[i];
            if (entry != null && entry.state.handle() != null) {
                entry.kept = (Poller.Member) entry.state.handle();
            }
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
        return returned < most && (awaiter.given() != null || multiplexer.next(awaiter, awaiter.round()));
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
        Object member = entry.state.handle();
        if (member != null) {
            ((Poller.Member) member).isShownBy(entry);
        }
        return entry;
    }

    private Entry entry(int i) {
        if (i == entries.length) {
            entries = Arrays.copyOf(entries, Math.max(16, i * 2));
        }
        if (entries[i] == null) {
            entries[i] = new Entry(i);
        }
        return entries[i];
    }
}
