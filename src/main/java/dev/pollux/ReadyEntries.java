// SPDX-License-Identifier: Apache-2.0
package dev.pollux;

import dev.pollux.internal.poller.Batch;
import dev.pollux.internal.poller.Multiplexer;
import java.util.Arrays;
import java.util.Iterator;
import java.util.NoSuchElementException;

/**
 * What one thread gets from {@link Poller#await(long)}, again and again.
 *
 * <p>For one thread. Allocates to hold more entries than ever before.
 */
final class ReadyEntries implements Iterable<Poller.Ready>, Iterator<Poller.Ready> {
    private final Batch batch = new Batch();
    private final Multiplexer multiplexer;
    private Entry[] entries = new Entry[0];

    /** Entries that were returned since {@link #begin}. */
    private int returned;

    /** Whether the batch has gone to an entry that was not returned yet. */
    private boolean ahead;

    ReadyEntries(Multiplexer multiplexer) {
        this.multiplexer = multiplexer;
    }

    private static final class Entry implements Poller.Ready {
        private int descriptor;
        private int events;
        private Object attachment;

        @Override
        public int descriptor() {
            return descriptor;
        }

        @Override
        public int events() {
            return events;
        }

        @Override
        public Object attachment() {
            return attachment;
        }

        @Override
        public String toString() {
            return descriptor + "[events 0x" + Integer.toHexString(events) + ", " + attachment + ']';
        }
    }

    /** Begins anew; returns the batch, to be filled. */
    Batch begin() {
        for (int i = 0; i < returned; i++) {
            entries[i].attachment = null; // else it would live as long as this thread
        }
        returned = 0;
        if (ahead) {
            batch.stepBack();
            ahead = false;
        }
        return batch;
    }

    @Override
    public Iterator<Poller.Ready> iterator() {
        return this;
    }

    @Override
    public boolean hasNext() {
        while (!ahead) {
            ahead = batch.next();
            if (!ahead && !multiplexer.refill(batch)) {
                return false;
            }
        }
        return true;
    }

    @Override
    public Poller.Ready next() {
        if (!hasNext()) {
            throw new NoSuchElementException();
        }
        Entry entry = entry(returned);
        returned++;
        ahead = false;
        entry.descriptor = batch.descriptor();
        entry.events = batch.events();
        entry.attachment = batch.attachment();
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
