// SPDX-License-Identifier: Apache-2.0
package dev.pollux;

import dev.pollux.internal.poller.Awaiter;
import dev.pollux.internal.poller.MemberState;
import dev.pollux.internal.poller.Multiplexer;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.util.Arrays;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.StringJoiner;
import java.util.concurrent.TimeUnit;

/**
 * One thread's place in a Poller, and what it gets from {@link Poller#await(long, TimeUnit)}, again and again.
 *
 * <p>For one thread. Allocates to hold more entries than ever before.
 */
final class ReadyEntries implements Iterable<Poller.Ready> {
    private static final int[] BITS = {Poller.POLLIN, Poller.POLLPRI, Poller.POLLOUT, Poller.POLLRDHUP, Poller.POLLERR,
        Poller.POLLHUP, Poller.POLLNVAL, Poller.ONESHOT, Poller.EDGE};

    private static final String[] NAMES = {"POLLIN", "POLLPRI", "POLLOUT", "POLLRDHUP", "POLLERR",
        "POLLHUP", "POLLNVAL", "ONESHOT", "EDGE"};

    private final Thread thread = Thread.currentThread();

    /** For entries: members know those, and shall not keep a thread alive that has ended. */
    private final WeakReference<ReadyEntries> self = new WeakReference<>(this);

    private final Awaiter awaiter = new Awaiter();
    private final Multiplexer multiplexer;
    private final Iteration iteration = new Iteration();
    private Entry[] entries = new Entry[0];

    /** Entries that were returned since {@link #begin}. */
    private int returned;

    /** The last await was one whose members are iterated, and has found some. */
    private boolean isReady;

    ReadyEntries(Multiplexer multiplexer) {
        this.multiplexer = multiplexer;
    }

    /**
     * Lives as long as its thread, so it refers to what is the program's by the member's state only, which forgets that
     * when the member is removed.
     */
    static final class Entry implements Poller.Ready {
        private final WeakReference<ReadyEntries> owner;
        private final Multiplexer multiplexer;
        private final int place;
        private MemberState state;
        private int events;

        /** The member, if the entry's thread has removed it since, or closed the Poller. Then this is the program's. */
        private Poller.Member kept;

        private Entry(ReadyEntries owner, int place) {
            this.owner = owner.self;
            this.multiplexer = owner.multiplexer;
            this.place = place;
        }

        @Override
        public Poller.Member member() {
            Poller.Member member = kept != null ? kept : (Poller.Member) state.handle();
            if (member == null) { // another thread has removed it, or closed the Poller
                multiplexer.requireOpen();
                member = new PollerMember(multiplexer, state, null);
            }
            return member;
        }

        @Override
        public int events() {
            return events;
        }

        /** A member is about to be removed, by any thread. If by this one, this entry keeps the member. */
        void keep(Poller.Member member, MemberState its) {
            ReadyEntries ours = owner.get();
            if (ours != null && ours.thread == Thread.currentThread() && state == its) {
                kept = member;
                ours.entries[place] = null;
            }
        }

        @Override
        public String toString() {
            return names(events) + " of " + member();
        }
    }

    /** The Poller is about to be closed by this thread: the entries keep their members. */
    void keepAll() {
        for (int i = 0; i < returned; i++) {
            Entry entry = entries[i];
            if (entry != null && entry.state.handle() != null) {
                entry.kept = (Poller.Member) entry.state.handle();
            }
        }
    }

    /** The names of events, joined as in a program: "POLLIN | ONESHOT"; "0" for none. */
    static String names(int events) {
        StringJoiner names = new StringJoiner(" | ");
        names.setEmptyValue("0");
        for (int i = 0; i < BITS.length; i++) {
            if ((events & BITS[i]) != 0) {
                names.add(NAMES[i]);
            }
        }
        return names.toString();
    }

    /** Begins again; returns the thread's place in the Poller. */
    Awaiter begin() {
        returned = 0;
        isReady = false;
        iteration.promised = false;
        return awaiter;
    }

    /** As {@link Multiplexer#await(Awaiter, long)}; what is found is there to be iterated. */
    ReadyEntries await(long nanos) throws IOException {
        isReady = multiplexer.await(begin(), nanos);
        return this;
    }

    @Override
    public Iterator<Poller.Ready> iterator() {
        return iteration;
    }

    /** The one iteration over what the last await has found. */
    final class Iteration implements Iterator<Poller.Ready> {
        /** {@link #hasNext} has said that there is one more: it stays so, whatever other threads do. */
        private boolean promised;

        private Iteration() {
        }

        @Override
        public boolean hasNext() {
            if (!promised) {
                multiplexer.requireOpen();
                promised = isReady && multiplexer.hasNext(awaiter);
            }
            return promised;
        }

        @Override
        public Poller.Ready next() {
            if (!hasNext()) {
                throw new NoSuchElementException();
            }
            Entry entry = entry(returned);
            promised = false;
            returned++;
            entry.events = awaiter.events();
            entry.state = awaiter.begin();
            Object member = entry.state.handle();
            if (member != null) {
                ((PollerMember) member).isShownBy(entry);
            }
            return entry;
        }
    }

    private Entry entry(int i) {
        if (i == entries.length) {
            entries = Arrays.copyOf(entries, Math.max(16, i * 2));
        }
        if (entries[i] == null) {
            entries[i] = new Entry(this, i);
        }
        return entries[i];
    }
}
