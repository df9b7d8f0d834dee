// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.pollset;

import dev.pollux.internal.jni.Natives;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Merges the entries that a mechanism reports apart for one registration (kqueue: one for reading, one for writing),
 * so that a key is looked at once per selection. What was refused stays apart: its events are not ready. {@code
 * place[fd]} says where an entry of that descriptor was put. It is never cleared: a place that is beyond the entries
 * kept so far, or that holds something else, is out of date (P. Briggs and L. Torczon, "An efficient representation
 * for sparse sets", 1993). Not thread-safe. Allocates when a descriptor is larger than any before.
 */
final class EntryMerger {
    /** Entries that are no readiness of a descriptor. */
    private static final int APART = Natives.WAKEUP | Natives.FAILED;

    /** Null before the first event. */
    private int[] place;

    /** Merges the first {@code n} entries in place, in the order of first appearance; returns how many are left. */
    int merge(ByteBuffer events, int n) {
        int kept = 0;
        for (int i = 0; i < n; i++) {
            int ready = ready(events, i);
            int same = (ready & APART) != 0 ? kept : find(events, cookie(events, i), kept);
            if (same < kept) {
                events.putInt(same * Natives.EVENT_BYTES + Natives.EVENT_EVENTS, ready(events, same) | ready);
            } else {
                copy(events, i, kept++);
            }
        }
        return kept;
    }

    private static int ready(ByteBuffer events, int i) {
        return events.getInt(i * Natives.EVENT_BYTES + Natives.EVENT_EVENTS);
    }

    private static long cookie(ByteBuffer events, int i) {
        return events.getLong(i * Natives.EVENT_BYTES + Natives.EVENT_COOKIE);
    }

    /** The place of an entry with this descriptor and generation, else {@code kept}, which is then its place. */
    private int find(ByteBuffer events, long cookie, int kept) {
        int fd = Cookie.fd(cookie);
        if (place == null) {
            place = new int[fd + 1];
        } else if (fd >= place.length) {
            place = Arrays.copyOf(place, Math.max(fd + 1, place.length * 2));
        }
        int at = place[fd];
        if (at < kept && cookie(events, at) == cookie && (ready(events, at) & APART) == 0) {
            return at;
        }
        place[fd] = kept;
        return kept;
    }

    private static void copy(ByteBuffer events, int from, int to) {
        if (from != to) {
            events.putLong(to * Natives.EVENT_BYTES, events.getLong(from * Natives.EVENT_BYTES));
            events.putLong(to * Natives.EVENT_BYTES + 8, events.getLong(from * Natives.EVENT_BYTES + 8));
        }
    }
}
